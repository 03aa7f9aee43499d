import type { components } from '../../generated/api.d.ts';
import type { DestinationCalendar } from '../../planner/plan/calendar.ts';
import type { Amount, Capacity } from '../../schedule/amount.ts';
import type { Interval } from '../../schedule/interval.ts';
import type { PoolUse } from '../../schedule/resource-pools.ts';
import { printInstant } from '../../words/iso8601.ts';

type OwnReservation = NonNullable<DestinationCalendar['mine']>[number];
type WireCalendar = components['schemas']['Calendar'];
type WireOwn = NonNullable<WireCalendar['destinations'][number]['mine']>[number];
type WireClosure = components['schemas']['Closure'];
type WireAmounts = components['schemas']['CalendarAmounts'];

/** GiB with three decimals: nobody sees a MiB in a picture. */
export function gibibytes(mebibytes: number): number {
  return Math.round(mebibytes / 1.024) / 1000;
}

/** Amounts as the calendar writes them. */
export function amountsOf({ cores, memory, scratch, gpus }: Capacity): WireAmounts {
  return {
    cores: cores / 1000,
    memory: gibibytes(memory),
    scratch: gibibytes(scratch),
    ...(gpus.size > 0 && { gpus: [...gpus].map(([type, count]) => ({ type, count })) }),
  };
}

/** A time without the destination or a part of it, as the calendar writes it. */
export function closureOf({
  during: { start, end },
  reason,
  takes,
}: DestinationCalendar['closures'][number]): WireClosure {
  return {
    start: printInstant(start),
    end: printInstant(end),
    reason,
    takes: takes === 'all' ? takes : takenAmounts(takes),
  };
}

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
      capacity: amountsOf(capacity),
      ...(results !== undefined && { results: resultsOf(results) }),
      steps: steps.map(({ during: { start, end }, free, held, firm }) => ({
        start: printInstant(start),
        end: printInstant(end),
        free: amountsOf(free),
        held: amountsOf(held),
        firm: amountsOf(firm),
      })),
      maintenance: closures.map(closureOf),
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
    size: gibibytes(size),
    free: gibibytes(Math.max(0, size - held - kept)),
    held: gibibytes(held),
    kept: gibibytes(kept),
  };
}

function ownOf({ ask, job, state, during, amount }: OwnReservation): WireOwn {
  return {
    ask,
    ...(job !== undefined && { job }),
    state,
    start: printInstant(during.start),
    end: printInstant(during.end),
    amount: takenAmounts(amount),
  };
}

function takenAmounts({ cores, memory, scratch, gpus }: Amount): WireAmounts {
  return amountsOf({
    cores,
    memory,
    scratch,
    gpus: new Map(gpus === undefined ? [] : [[gpus.type, gpus.count]]),
  });
}
