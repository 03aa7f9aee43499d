import type { Documents } from '../contract.ts';
import { shown } from '../time.ts';
import { SITE } from '../words/site.ts';
import { zone } from '../zone.tsx';
import { Card } from './card.tsx';
import { DataTable } from '../lists/data-table.tsx';

type Executor = Documents['Overview']['executors'][number];

/** The executors, their leases, and which engines answer them. */
export function Executors({ all }: { readonly all: readonly Executor[] }) {
  return (
    <Card title={SITE.executors}>
      <DataTable
        label={SITE.executors}
        columns={[SITE.executor, SITE.host, SITE.lease, SITE.jobs, SITE.answering, SITE.silent]}
        none={SITE.noExecutors}
        rows={all.map(({ executor, host, alive, until, jobs, engines }) => {
          const end = shown(Date.parse(until), zone.value);
          const silent = engines.filter(({ answers }) => !answers);
          return {
            key: executor,
            cells: [
              executor,
              host,
              <span class={alive ? undefined : 'bad'}>
                {alive ? SITE.alive(end) : SITE.gone(end)}
              </span>,
              String(jobs),
              namesOf(engines.filter(({ answers }) => answers)),
              silent.length > 0 && <span class="bad">{namesOf(silent)}</span>,
            ],
          };
        })}
      />
    </Card>
  );
}

function namesOf(engines: Executor['engines']): string {
  return engines.map(({ destination }) => destination).join(', ');
}
