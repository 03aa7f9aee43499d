import type { components } from '../../generated/api.d.ts';
import { printQuantity } from '../../planner/refusal.ts';
import type { Reason } from '../../planner/reasons.ts';
import { mergedTimes } from '../merged-times.ts';
import { reasonText } from '../reason-text.ts';
import { SIZES } from './print.ts';
import { printInstant } from '../../words/iso8601.ts';

type WireReason = components['schemas']['Reason'];

/** How many destinations of a reason an answer names; its explanation names all. */
const MOST_NAMED = 10;
/** The most characters of reasons, by `lengthOf`, so that an answer stays below 20 kB. */
const MOST_TOLD = 12_000;

/** The reasons of an answer, of limited length for any number of destinations. */
export function printReasons(reasons: readonly Reason[]): {
  readonly reasons: WireReason[];
  readonly 'more-reasons'?: number;
} {
  const all = mergedTimes(reasons).map((one) => printReason(one, MOST_NAMED));
  const told = fittingReasons(all);
  return {
    reasons: [...told],
    ...(told.length < all.length && { 'more-reasons': all.length - told.length }),
  };
}

/** All reasons with all destinations. */
export function printAllReasons(reasons: readonly Reason[]): WireReason[] {
  return reasons.map((one) => printReason(one, Infinity));
}

/** A reason on the wire. @param named the most destinations that it names */
function printReason(reason: Reason, named: number): WireReason {
  const { code, path, resource, destinations, asked, needed, limit, when } = reason;
  const [only] = destinations;
  return {
    code,
    path,
    text: reasonText(reason, SIZES),
    ...(destinations.length === 1 && only !== undefined && { destination: only }),
    ...(destinations.length > 0 && { destinations: destinations.slice(0, named) }),
    ...(destinations.length > named && { 'more-destinations': destinations.length - named }),
    ...(resource !== undefined && { resource }),
    ...(asked !== undefined && { asked: printQuantity(asked, SIZES) }),
    ...(needed !== undefined && { needed: printQuantity(needed, SIZES) }),
    ...(limit !== undefined && { limit: printQuantity(limit, SIZES) }),
    ...(when !== undefined && { earliest: printInstant(when) }),
  };
}

/** As many reasons as there is room for: first one of each code and path, then the others. */
function fittingReasons(all: readonly WireReason[]): readonly WireReason[] {
  const kinds = new Map<string, WireReason>();
  for (const one of all)
    if (!kinds.has(`${one.code} ${one.path}`)) kinds.set(`${one.code} ${one.path}`, one);
  const told = new Set<WireReason>(all.filter(({ destinations }) => destinations === undefined));
  let room = MOST_TOLD;
  for (const one of new Set([...kinds.values(), ...all])) {
    if (told.has(one)) continue;
    room -= lengthOf(one);
    if (room < 0 && told.size > 0) break;
    told.add(one);
  }
  return all.filter((one) => told.has(one));
}

/** The length of an entry: its texts, and a line for each key and name. */
function lengthOf({ code, path, text, destinations = [] }: WireReason): number {
  return (
    code.length +
    path.length +
    1.1 * text.length +
    200 +
    destinations.reduce((sum, name) => sum + name.length + 12, 0)
  );
}
