import type { Instant } from '../../schedule/interval.ts';
import { longestFit } from '../../schedule/longest.ts';
import { earliestFit, freeOverTime, mostFree, type Taken } from '../../schedule/profile.ts';
import { OPEN_END, type Closure } from '../../site/maintenance.ts';
import { printInstant } from '../../words/iso8601.ts';
import type { Ask } from '../ask.ts';
import { paidWindows, tooDear } from '../judge/costs.ts';
import { storingRefusals } from './stored.ts';
import { amountOf } from '../offer.ts';
import { textQuantity, type Refusal } from '../refusal.ts';
import {
  earliestOf,
  fittingAt,
  engineStart,
  closuresAhead,
  type DestinationAtTime,
} from './fit.ts';
import { resultRefusals } from './result-space.ts';
import { shortOf } from './shortages.ts';
import { localWindow, type LocalWindow, type OpenWindow } from './windows.ts';

/** Why nothing fits at a destination: every resource that is short, and when it would fit. */
export function refusalsOf(
  ask: Ask,
  place: DestinationAtTime,
  open: readonly OpenWindow[],
  taken: readonly Taken[],
): readonly Refusal[] {
  const full = resultRefusals(place);
  const tooLarge = shortOf(ask, place, 'above-capacity', place.suitable.destination.capacity);
  const [wanted] = paidWindows(place.suitable.paying, open);
  if (wanted === undefined && open.length > 0) return unpaid(ask, place, open);
  if (tooLarge.length > 0 || wanted === undefined) return [...tooLarge, ...full];
  return full.length > 0 && fittingAt({ ...place, results: undefined }) !== undefined
    ? full
    : [...full, ...withoutStart(ask, place, wanted, taken)];
}

/** The limits of costs, where the client pays only for windows that are not open. */
function unpaid(
  ask: Ask,
  { suitable: { id, destination, sizes }, terms }: DestinationAtTime,
  [window]: readonly OpenWindow[],
): readonly Refusal[] {
  return tooDear(ask, terms, destination, sizes[0], window?.index ?? 0).map((objection) => ({
    ...objection,
    destination: id,
  }));
}

/** Why there is no start, with numbers, and when there would be one. */
function withoutStart(
  ask: Ask,
  place: DestinationAtTime,
  wanted: OpenWindow,
  taken: readonly Taken[],
): readonly Refusal[] {
  const {
    suitable: { id, destination, sizes, storing },
    windows,
    free,
    now,
  } = place;
  const [window] = windows;
  const start = soonest(place, wanted);
  const when = start === undefined ? {} : { when: start };
  const late = (code: Refusal['code'], { starts, index }: OpenWindow, ready: Instant): Refusal => ({
    code,
    place: { what: 'window', window: index },
    destination: id,
    asked: textQuantity(printInstant(starts.latest)),
    limit: textQuantity(printInstant(ready)),
    ...when,
  });
  if (window === undefined)
    return [late('lead-time-too-short', wanted, now + destination.prepare * 1000)];
  const begins = engineStart(place, sizes[0], window.duration);
  if (begins > Math.max(...windows.map(({ starts }) => starts.latest)))
    return [late('engine-queue-too-long', window, begins)];
  const inTime = { ...when, ...longestIn(place, window) };
  const inWindow = { place: { what: 'window', window: window.index }, destination: id } as const;
  const closure = closureIn(place, taken);
  if (closure !== undefined)
    return [{ code: 'maintenance', ...inWindow, detail: closureText(closure), ...inTime }];
  const code = window.kind === 'now' ? 'no-capacity-now' : 'no-capacity-in-window';
  const most = mostFree(free, window.occupation, window.starts);
  const short = [
    ...shortOf(ask, place, code, most).map((refusal) => ({ ...refusal, ...inTime })),
    ...storingRefusals(storing, place.stores, window, id),
  ];
  return short.length > 0 ? short : [{ code, ...inWindow, detail: NOT_TOGETHER, ...inTime }];
}

const NOT_TOGETHER =
  'Each resource alone is free for long enough at some start, but not all of them together.';

function closureText({ reason, during }: Closure): string {
  const what = reason === '' ? 'Maintenance' : reason;
  return during.end < OPEN_END ? `${what}, until ${printInstant(during.end)}.` : `${what}.`;
}

/** The first start, not before the requested one, at which a size fits. */
function soonest(place: DestinationAtTime, window: OpenWindow): Instant | undefined {
  const {
    suitable: { destination, sizes },
    terms,
    now,
  } = place;
  const starts = { earliest: window.starts.earliest, latest: now + terms.horizon * 1000 };
  const anywhere = localWindow({ ...window, kind: 'window', starts }, destination, terms, now);
  if (anywhere === undefined) return undefined;
  const found = sizes.flatMap(
    (size) => earliestOf(place, size, anywhere, anywhere.starts)?.startsAt ?? [],
  );
  return found.length === 0 ? undefined : Math.min(...found);
}

/** How long the smallest size could run in a window, in whole seconds, if less than asked for. */
function longestIn(
  {
    suitable: {
      sizes: [least],
    },
    free,
  }: DestinationAtTime,
  { occupation, starts, duration }: LocalWindow,
): Pick<Refusal, 'longest'> {
  const longest = Math.floor(
    longestFit(free, amountOf(least), occupation, starts, duration * 1000) / 1000,
  );
  return longest > 0 && longest < duration ? { longest } : {};
}

/** The first closure without which a window would be free. */
function closureIn(
  {
    suitable: {
      destination,
      sizes: [least],
    },
    terms,
    windows,
    now,
  }: DestinationAtTime,
  taken: readonly Taken[],
): Closure | undefined {
  const closures = closuresAhead(terms, destination, now);
  const without = freeOverTime(destination.capacity, taken);
  return windows.flatMap(({ occupation: { begin, end }, starts, occupation }) => {
    const start = earliestFit(without, amountOf(least), occupation, starts);
    if (start === undefined) return [];
    return (
      closures.find(({ during }) => during.start < end(start) && begin(start) < during.end) ?? []
    );
  })[0];
}
