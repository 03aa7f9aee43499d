import type { Documents } from '../contract.ts';
import { addressOf } from '../route.ts';
import { round, shown } from '../time.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';
import { Card } from './card.tsx';
import { DataTable } from '../lists/data-table.tsx';
import { shortTypeOf } from '../words/short-type.ts';

/** Who holds what where, with links to it. */
export function Holders({ all }: { readonly all: Documents['Overview']['holders'] }) {
  return (
    <Card title={SITE.holders}>
      <DataTable
        label={SITE.holders}
        columns={[
          SITE.owner,
          SITE.columns.destination,
          SITE.held,
          SITE.firm,
          SITE.answers,
          SITE.jobs,
          SITE.lastUntil,
        ]}
        none={SITE.noHolders}
        rows={all.map(({ owner, user, destination, held, firm, answers, jobs, until }) => {
          const name = user ?? SITE.nobody;
          return {
            key: `${owner} ${destination}`,
            cells: [
              name,
              destination,
              amountsText(held),
              amountsText(firm),
              <Count
                count={answers}
                label={SITE.countLabel(answers, SITE.answers, name)}
                address={addressOf('offers', { owner, destination })}
              />,
              <Count
                count={jobs}
                label={SITE.countLabel(jobs, SITE.jobs, name)}
                address={addressOf('jobs', { owner, destination })}
              />,
              shown(Date.parse(until), zone.value),
            ],
          };
        })}
      />
    </Card>
  );
}

type CountProps = { readonly count: number; readonly label: string; readonly address: string };

/** A number that leads to what was counted; nothing leads to nothing. */
export function Count({ count, label, address }: CountProps) {
  if (count === 0) return <>0</>;
  return (
    <a href={address} aria-label={label}>
      {count}
    </a>
  );
}

function amountsText({ cores, memory, gpus = [] }: Documents['CalendarAmounts']): string {
  if (cores === 0 && memory === 0 && gpus.length === 0) return SITE.nothing;
  return [
    SITE.cores(cores),
    SITE.gib(round(memory)),
    ...gpus.filter(({ count }) => count > 0).map((gpu) => `${gpu.count} ${shortTypeOf(gpu.type)}`),
  ].join(', ');
}
