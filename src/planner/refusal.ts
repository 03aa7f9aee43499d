import type { Instant } from '../schedule/interval.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import type { DestinationId } from '../words/ids.ts';
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

/** A value in a refusal; printed in the style of the dialect that asked. */
export type Quantity =
  | { readonly kind: 'cores'; readonly value: Millicores }
  | { readonly kind: 'size'; readonly value: Mebibytes }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string };

/**
 * What there is too much or too little of. Scratch space is what jobs have while they run, storage
 * and results what stays after them.
 */
export type RefusedResource = 'cores' | 'memory' | 'gpus' | 'scratch' | 'storage' | 'results';

/** One reason for a NO, born where the test fails. */
export type Refusal = {
  readonly code: RefusalCode;
  /** what of the ask it is about */
  readonly place: AskPlace;
  readonly destination?: DestinationId;
  /** what its amounts are of */
  readonly resource?: RefusedResource;
  readonly asked?: Quantity;
  /**
   * in place of `asked`, where the task would need what the ask does not say: a default of the
   * site, an amount of the rules, a size on offer
   */
  readonly needed?: Quantity;
  readonly limit?: Quantity;
  /**
   * the first start, from the requested one on, at which the
   * destination could take the ask as it is
   */
  readonly when?: Instant;
  /**
   * the longest run in seconds that the destination could take in the
   * requested time, as large as it is
   */
  readonly longest?: number;
  /** which quota would be exceeded */
  readonly quota?: 'holds' | 'jobs' | 'cores' | 'memory' | 'gpu-hours' | 'share' | 'results';
  /** what a quota leaves, in the unit of `limit` */
  readonly left?: Quantity;
  /**
   * what the catalogue's sentence cannot say; amounts in it are written as the dialect writes them
   */
  readonly detail?: string | readonly (string | Quantity)[];
};

/**
 * Do two destinations say the same? Their names do not count, and two
 * details in pieces count as different.
 */
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

/** The same of all that they say, in the same order. */
export function areSameRefusals(a: readonly Refusal[], b: readonly Refusal[]): boolean {
  return a.length === b.length && a.every((one, index) => isSameRefusal(one, b[index] ?? one));
}

/** Less than this is what calculating with fractions leaves behind. */
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

/** Millicores, MiB, or a count. */
const QUANTITY = {
  cores: coresQuantity,
  memory: sizeQuantity,
  scratch: sizeQuantity,
  storage: sizeQuantity,
  results: sizeQuantity,
  gpus: numberQuantity,
} as const satisfies Record<RefusedResource, (value: number) => Quantity>;

/**
 * An amount, as asked for where the ask says so much itself, and else as needed.
 * @param said what the ask says, if anything
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
 * An amount and the limit that it does not keep to. What is above a limit by less than a unit is
 * told as a unit above it, for two amounts that differ are printed differently.
 *
 * @param amount as it was compared
 * @param said what the ask says of it itself, if anything
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

/** What was too much or too little, whether the ask says so or not. */
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

/** Rules may compare more than there is a unit for: that is told as the most. */
function withinUnits(value: number, most: number): number {
  return Math.max(0, Math.min(most, Math.trunc(value + NOTHING)));
}

function roundedUp(value: number): number {
  return Math.ceil(value - NOTHING);
}

function roundedDown(value: number): number {
  return Math.floor(value + NOTHING);
}
