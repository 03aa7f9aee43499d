import type { Documents } from '../contract.ts';
import { addressOf } from '../route.ts';
import { SITE } from '../words/site.ts';
import { Card } from './card.tsx';
import { DataTable } from '../lists/data-table.tsx';
import { Count } from './holders.tsx';
import { countsByOwner, GROUPS } from './job-counts.ts';

/** Jobs by owner and phase; each number leads to its jobs. */
export function JobCounts({ lines }: { readonly lines: Documents['Overview']['jobs'] }) {
  return (
    <Card title={SITE.counts}>
      <DataTable
        label={SITE.counts}
        columns={[SITE.owner, ...GROUPS, SITE.all]}
        none={SITE.noJobs}
        rows={countsByOwner(lines).map(({ owner, user = SITE.nobody, counts, all }) => ({
          key: owner,
          cells: [
            user,
            ...GROUPS.map((phase) => (
              <Count
                count={counts[phase]}
                label={SITE.countLabel(counts[phase], phase, user)}
                address={addressOf('jobs', { owner, phase })}
              />
            )),
            String(all),
          ],
        }))}
      />
    </Card>
  );
}
