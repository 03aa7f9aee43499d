import type { Instant } from '../schedule/interval.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import type { DestinationId, NonEmpty } from '../words/ids.ts';
import { isSamePlace, type AskPlace } from './place.ts';
import {
  MAX_MEBIBYTES,
  MAX_MILLICORES,
  mebibytes,
  millicores,
  printSize,
  toCores,
  type Mebibytes,
  type Millicores,
  type SizeStyle,
} from '../words/units.ts';

/** A value in a refusal; the dialect of the ask prints it. */
export type Quantity =
  | { readonly kind: 'cores'; readonly value: Millicores }
  | { readonly kind: 'size'; readonly value: Mebibytes }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string };

/** A resource that is short. Scratch space is for the run; storage and results outlive it. */
export type RefusedResource = 'cores' | 'memory' | 'gpus' | 'scratch' | 'storage' | 'results';

/** What a quota limits. */
export type QuotaName = 'holds' | 'jobs' | 'cores' | 'memory' | 'gpu-hours' | 'share' | 'results';

/** A destination, and where it stands in the rule files. */
export type AlikeMember = { readonly id: DestinationId; readonly place: number };

/** Destinations that rules and site treat alike, in the order of the rule files. */
export type Alike = NonEmpty<AlikeMember>;

/** One reason for a NO. */
export type Refusal = {
  readonly code: RefusalCode;
  /** the part of the ask that it is about */
  readonly place: AskPlace;
  readonly destination?: DestinationId;
  /** the destination with all others that give this reason because they are like it */
  readonly alike?: Alike;
  /** the resource of its amounts */
  readonly resource?: RefusedResource;
  readonly asked?: Quantity;
  /**
   * instead of `asked`, an amount that the ask does not name: a default of the site, an amount of
   * the rules, a size that the destination offers
   */
  readonly needed?: Quantity;
  readonly limit?: Quantity;
  /** the first start, not before the requested one, at which the destination has room */
  readonly when?: Instant;
  /** the longest run in seconds for which the destination has room at the requested time */
  readonly longest?: number;
  /** the quota that the ask would exceed */
  readonly quota?: QuotaName;
  /** what a quota or a pool leaves, in the unit of `limit` */
  readonly left?: Quantity;
  /** what the catalogue's sentence cannot say; the dialect writes the amounts in it */
  readonly detail?: string | readonly (string | Quantity)[];
};

/** Are two refusals the same but for the destination? Details in pieces count as different. */
export function isSameRefusal(a: Refusal, b: Refusal): boolean {
  return (
    a.code === b.code &&
    isSamePlace(a.place, b.place) &&
    isSameAmount(a.limit, b.limit) &&
    isSameAmount(a.asked, b.asked) &&
    isSameAmount(a.needed, b.needed) &&
    a.detail === b.detail &&
    a.resource === b.resource &&
    a.when === b.when &&
    a.longest === b.longest &&
    a.quota === b.quota &&
    isSameAmount(a.left, b.left)
  );
}

/** Are two lists of refusals the same but for the destination, in the same order? */
export function areSameRefusals(a: readonly Refusal[], b: readonly Refusal[]): boolean {
  return a.length === b.length && a.every((one, index) => isSameRefusal(one, b[index] ?? one));
}

/** Rounding errors are smaller than this. */
const NOTHING = 1e-6;

export function coresQuantity(value: number): Quantity {
  return { kind: 'cores', value: millicores(withinUnits(value, MAX_MILLICORES)) };
}

export function sizeQuantity(value: number): Quantity {
  return { kind: 'size', value: mebibytes(withinUnits(value, MAX_MEBIBYTES)) };
}

export function numberQuantity(value: number): Quantity {
  return { kind: 'number', value };
}

export function textQuantity(value: string): Quantity {
  return { kind: 'text', value };
}

/** A text that is the same for the same amounts. */
export function quantityKey(quantity: Quantity | undefined): string {
  return quantity === undefined ? '' : `${quantity.kind}${quantity.value}`;
}

/** A resource's amount in millicores, MiB, or as a count. */
const QUANTITY = {
  cores: coresQuantity,
  memory: sizeQuantity,
  scratch: sizeQuantity,
  storage: sizeQuantity,
  results: sizeQuantity,
  gpus: numberQuantity,
} as const satisfies Record<RefusedResource, (value: number) => Quantity>;

/**
 * An amount as `asked` if the ask names it, else as `needed`.
 * @param said the amount in the ask, if any
 */
export function askedOrNeeded(
  resource: RefusedResource,
  value: number,
  said: number | undefined,
): Pick<Refusal, 'resource' | 'asked' | 'needed'> {
  const told = QUANTITY[resource](value);
  return {
    resource,
    ...(said !== undefined && Math.abs(said - value) < 1 ? { asked: told } : { needed: told }),
  };
}

/** The numbers of a comparison that failed. */
type Amounts = Required<Pick<Refusal, 'resource' | 'limit'>> & Pick<Refusal, 'asked' | 'needed'>;

/**
 * An amount and the limit that it breaks. If they differ by less than a unit, they are told as a
 * unit apart, so that different amounts are printed differently.
 *
 * @param said the amount in the ask, if any
 */
export function compared(
  resource: RefusedResource,
  amount: number,
  limit: number,
  said: number | undefined,
): Amounts {
  const isAbove = amount > limit;
  const [least, most] =
    resource === 'gpus'
      ? [amount, limit]
      : isAbove
        ? [roundedUp(amount), roundedDown(limit)]
        : [roundedDown(amount), roundedUp(limit)];
  const apart = least === most && amount !== limit ? least + (isAbove ? 1 : -1) : least;
  const { asked } = askedOrNeeded(resource, amount, said);
  const told = QUANTITY[resource](apart);
  return {
    resource,
    limit: QUANTITY[resource](most),
    ...(asked === undefined ? { needed: told } : { asked: told }),
  };
}

/** The amount that is too much or too little, whether the ask names it or not. */
export function askedOrNeededIn({
  asked,
  needed,
}: {
  readonly asked?: Quantity | undefined;
  readonly needed?: Quantity | undefined;
}): Quantity | undefined {
  return asked ?? needed;
}

/** The number of a quantity; undefined: it is a text, or not there. */
export function numberIn(quantity: Quantity | undefined): number | undefined {
  return quantity === undefined || quantity.kind === 'text' ? undefined : quantity.value;
}

/** A quantity as the dialect prints it: cores and counts as numbers, sizes as `16Gb`. */
export function printQuantity(quantity: Quantity, style: SizeStyle): string | number {
  switch (quantity.kind) {
    case 'cores':
      return toCores(quantity.value);
    case 'size':
      return printSize(quantity.value, style);
    case 'number':
    case 'text':
      return quantity.value;
    default:
      return quantity satisfies never;
  }
}

function isSameAmount(a: Quantity | undefined, b: Quantity | undefined): boolean {
  return a === b || (a?.kind === b?.kind && a?.value === b?.value);
}

/** Rules may compare more than the largest unit; then the largest is told. */
function withinUnits(value: number, most: number): number {
  return Math.max(0, Math.min(most, Math.trunc(value + NOTHING)));
}

function roundedUp(value: number): number {
  return Math.ceil(value - NOTHING);
}

function roundedDown(value: number): number {
  return Math.floor(value + NOTHING);
}
