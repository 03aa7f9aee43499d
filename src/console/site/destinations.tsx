import { useSignal } from '@preact/signals';
import { api, outcomeOf, placeOf, remove } from '../api.ts';
import { Confirm } from '../confirm.tsx';
import type { Documents } from '../contract.ts';
import { clockText, shown } from '../time.ts';
import type { Trouble } from '../trouble.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { DataTable } from './data-table.tsx';

type Destination = Documents['OverviewDestination'];
type Props = { readonly all: readonly Destination[]; readonly read: () => void };

/** Use, queue and engine of each destination, and how to drain it. */
export function Destinations({ all, read }: Props) {
  const words = WORDS.site;
  const trouble = useSignal<Trouble | undefined>(undefined);
  const drain = async (name: string, reason: string): Promise<void> => {
    const outcome = await outcomeOf(
      api.PUT('/destinations/{name}/drain', { params: { path: { name } }, body: { reason } }),
    );
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    read();
  };
  const undo = async (name: string): Promise<void> => {
    const outcome = await remove(placeOf('destinations', name, 'drain'));
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    read();
  };
  return (
    <section class="card" aria-label={words.destinations}>
      <h2>{words.destinations}</h2>
      {trouble.value !== undefined && <TroubleBox trouble={trouble.value} />}
      <DataTable
        label={words.destinations}
        columns={[
          words.destination,
          words.state,
          words.engine,
          words.free,
          words.held,
          words.firm,
          words.queue,
          words.actions,
        ]}
        none={words.noDestinations}
        rows={all.map((each) => ({
          key: each.destination,
          cells: [
            each.destination,
            <State each={each} />,
            <span class={each.engine === 'silent' ? 'bad' : undefined}>
              {words.engines[each.engine]}
            </span>,
            amountText(each.free, each.capacity),
            words.cores(each.held.cores),
            words.cores(each.firm.cores),
            queueText(each),
            each.drain === undefined ? (
              <Confirm
                action={words.drain}
                question={words.drainQuestion(each.destination)}
                field={words.reason}
                onYes={(reason) => void drain(each.destination, reason)}
              />
            ) : (
              <button
                type="button"
                aria-label={`${words.undo}: ${each.destination}`}
                onClick={() => void undo(each.destination)}
              >
                {words.undo}
              </button>
            ),
          ],
        }))}
      />
    </section>
  );
}

function State({ each }: { readonly each: Destination }) {
  const words = WORDS.site;
  if (each.drain !== undefined)
    return (
      <>
        <strong class="bad">{words.drained}</strong> {each.drain.reason}
        {each.drain.until !== undefined &&
          ` ${words.until} ${shown(Date.parse(each.drain.until), zone.value)}`}
      </>
    );
  const away = each.maintenance?.[0];
  if (away !== undefined) return <>{words.away(away.reason)}</>;
  return <>{each.open ? words.open : words.closed}</>;
}

function amountText(
  free: Documents['CalendarAmounts'] | undefined,
  capacity: Documents['CalendarAmounts'] | undefined,
): string {
  if (free === undefined || capacity === undefined) return '';
  return WORDS.site.freeOf(free.cores, capacity.cores, Math.round(free.memory));
}

function queueText({ queue }: Destination): string {
  const wait = queue['longest-wait'];
  return WORDS.site.queueText(
    queue.running,
    queue.waiting,
    queue.due > 0 ? clockText(wait) : undefined,
  );
}
