import type { components } from '../../generated/api.d.ts';
import type { DestinationCalendar } from '../../planner/plan/calendar.ts';
import {
  drawnAmount,
  drawnCapacity,
  drawnClosure,
  drawnGibibytes,
} from '../../planner/plan/drawn.ts';
import type { Interval } from '../../schedule/interval.ts';
import type { PoolUse } from '../../schedule/resource-pools.ts';
import { printInstant } from '../../words/iso8601.ts';

type OwnReservation = NonNullable<DestinationCalendar['mine']>[number];
type WireCalendar = components['schemas']['Calendar'];
type WireOwn = NonNullable<WireCalendar['destinations'][number]['mine']>[number];

/** The calendar on the wire, in numbers that can be drawn. */
export function printCalendar(
  range: Interval,
  destinations: readonly DestinationCalendar[],
  pools: readonly PoolUse[] = [],
): WireCalendar {
  return {
    from: printInstant(range.start),
    to: printInstant(range.end),
    destinations: destinations.map(({ id, capacity, steps, closures, results, mine }) => ({
      destination: id,
      capacity: drawnCapacity(capacity),
      ...(results !== undefined && { results: resultsOf(results) }),
      steps: steps.map(({ during: { start, end }, free, held, firm }) => ({
        start: printInstant(start),
        end: printInstant(end),
        free: drawnCapacity(free),
        held: drawnCapacity(held),
        firm: drawnCapacity(firm),
      })),
      maintenance: closures.map(drawnClosure),
      ...(mine !== undefined && { mine: mine.map(ownOf) }),
    })),
    ...(pools.length > 0 && {
      pools: pools.map(({ pool, tasks, cores, mem, gpus }) => ({
        pool,
        tasks,
        cores,
        memory: mem,
        gpus,
      })),
    }),
  };
}

/**
 * A calendar as YAML, with each step as JSON on its own line: a general writer takes a hundred times
 * as long and would delay asks.
 */
export function calendarYaml({
  calendar: { from, to, destinations, pools },
}: {
  readonly calendar: WireCalendar;
}): string {
  const listed = (items: readonly object[]): string =>
    items.length === 0 ? ' []' : items.map((item) => `\n    - ${JSON.stringify(item)}`).join('');
  const one = ({
    destination,
    capacity,
    results,
    steps,
    maintenance,
    mine,
  }: WireCalendar['destinations'][number]): string =>
    `\n  - destination: ${JSON.stringify(destination)}\n` +
    '    capacity: ' +
    `${JSON.stringify(capacity)}${results === undefined ? '' : `\n    results: ${JSON.stringify(results)}`}\n` +
    `    steps:${listed(steps)}\n    maintenance:${listed(maintenance)}` +
    (mine === undefined ? '' : `\n    mine:${listed(mine)}`);
  return (
    `calendar:\n  from: '${from}'\n  to: '${to}'\n` +
    `  destinations:${destinations.length === 0 ? ' []' : destinations.map(one).join('')}\n` +
    `${pools === undefined ? '' : `  pools:${listed(pools)}\n`}`
  );
}

/** The room for results now; nobody knows when results are removed. */
function resultsOf({
  size,
  held,
  kept,
}: NonNullable<DestinationCalendar['results']>): NonNullable<
  WireCalendar['destinations'][number]['results']
> {
  return {
    size: drawnGibibytes(size),
    free: drawnGibibytes(Math.max(0, size - held - kept)),
    held: drawnGibibytes(held),
    kept: drawnGibibytes(kept),
  };
}

function ownOf({ ask, job, state, during, amount }: OwnReservation): WireOwn {
  return {
    ask,
    ...(job !== undefined && { job }),
    state,
    start: printInstant(during.start),
    end: printInstant(during.end),
    amount: drawnAmount(amount),
  };
}
