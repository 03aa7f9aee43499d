import type { components } from '../../../generated/api.d.ts';
import type { Spelling } from '../generations.ts';

type WireRange = components['schemas']['BrokerRange'];
type WireBounds = components['schemas']['BrokerBounds'];

/** What is offered, in cores or GiB, with fractions. */
export type OfferedRange = { readonly min: number; readonly max: number };

/**
 * Bounds of an offer as the generation writes them. The drafts have whole numbers: a fraction is
 * rounded down, which promises less than is given but never less than was asked for. An amount
 * below one is left out. A client that asks for fractions is told fractions.
 *
 * @param asked the client's own bounds, which the drafts of 2024 repeat
 */
export function printBounds(
  { generation }: Spelling,
  offered: OfferedRange,
  asked: WireBounds | undefined,
): WireBounds {
  const requested = requestedOf(asked);
  const isFraction = [requested?.min, requested?.max].some(
    (bound) => bound !== undefined && !Number.isInteger(bound),
  );
  // Other units than GiB become fractions of it.
  const isExact = isFraction || requested?.units !== undefined || asked?.units !== undefined;
  const range = isExact ? { ...offered, ...unitsOf(requested, asked) } : wholeRange(offered);
  return generation === 'types'
    ? { ...(requested === undefined ? {} : { requested }), offered: range }
    : range;
}

/** Does rounding lose a part of what is offered? */
export function isRounded({ min, max }: OfferedRange): boolean {
  return !Number.isInteger(min) || !Number.isInteger(max);
}

function requestedOf(asked: WireBounds | undefined): WireRange | undefined {
  if (asked === undefined) return undefined;
  const { requested, offered: _offered, ...rest } = asked;
  return requested ?? (Object.keys(rest).length === 0 ? undefined : rest);
}

function unitsOf(
  requested: WireRange | undefined,
  asked: WireBounds | undefined,
): { readonly units?: 'GiB' } {
  return requested?.units === undefined && asked?.units === undefined ? {} : { units: 'GiB' };
}

function wholeRange({ min, max }: OfferedRange): WireRange {
  const [least, most] = [Math.floor(min), Math.floor(max)];
  return { ...(least === 0 ? {} : { min: least }), ...(most === 0 ? {} : { max: most }) };
}
