import type { Documents } from '../contract.ts';
import { shown } from '../time.ts';
import type { Trouble } from '../client.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';
import { AuditTrail } from './audit.tsx';
import { Destinations } from './destinations.tsx';
import { Executors } from './executors.tsx';
import { Health } from './health.tsx';
import { Holders } from './holders.tsx';
import { InForce } from './in-force.tsx';
import { JobCounts } from './job-table.tsx';
import { ListLinks } from './lists.tsx';
import { QuotasInUse } from './quotas.tsx';

type Props = {
  readonly now: Documents['Overview'];
  readonly onDone: (trouble: Trouble | undefined) => void;
};

/** The parts of the screen, those first that need somebody. */
export function Overview({ now, onDone }: Props) {
  const { destinations, holders, jobs, quotas, executors, at } = now;
  const named = [...holders, ...jobs].flatMap(({ owner, user }) =>
    user === undefined ? [] : [[owner, user] as const],
  );
  return (
    <>
      <Health now={now} />
      <Destinations all={destinations} onDone={onDone} />
      <ListLinks />
      <Holders all={holders} />
      <JobCounts lines={jobs} />
      <QuotasInUse lines={quotas} users={new Map(named)} />
      <Executors all={executors} />
      <InForce now={now} />
      <AuditTrail at={at} />
      <p>
        <small>{SITE.asOf(shown(Date.parse(at), zone.value))}</small>
      </p>
    </>
  );
}
