import type { Instant } from '../schedule/interval.ts';
import type { RefusalCode } from '../words/catalogue.ts';
import { REFUSALS } from '../words/catalogue.ts';
import type { DestinationId } from '../words/ids.ts';
import { mebibytes, millicores, printSize, toCores, type Mebibytes, type Millicores, type SizeStyle } from '../words/units.ts';

/** A value in a refusal; printed in the style of the dialect that asked. */
export type Quantity =
  | { readonly kind: 'cores'; readonly value: Millicores }
  | { readonly kind: 'size'; readonly value: Mebibytes }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string };

/** One reason for a NO, born where the test fails (R3). */
export type Refusal = {
  readonly code: RefusalCode;
  /** the place in the ask that it is about, in the words of the dialect, for example `resources.compute[0].min-cores` */
  readonly path: string;
  readonly destination?: DestinationId;
  readonly asked?: Quantity;
  readonly limit?: Quantity;
  /** the first start, from the requested one on, at which the destination could take the ask as it is */
  readonly when?: Instant;
  /** the longest run in seconds that the destination could take in the requested time, as large as it is */
  readonly longest?: number;
  /** which quota would be exceeded */
  readonly quota?: 'holds' | 'jobs' | 'cores' | 'memory' | 'gpu-hours';
  /** what a quota leaves, in the unit of `limit` */
  readonly left?: Quantity;
  /** what the catalogue's sentence cannot say */
  readonly detail?: string;
};

const isSameAmount = (a: Quantity | undefined, b: Quantity | undefined): boolean => a === b || (a?.kind === b?.kind && a?.value === b?.value);

/** Do two destinations say the same? Their names do not count. */
export const isSameRefusal = (a: Refusal, b: Refusal): boolean =>
  a.code === b.code && a.path === b.path && isSameAmount(a.limit, b.limit) && isSameAmount(a.asked, b.asked) && a.detail === b.detail
  && a.when === b.when && a.longest === b.longest && a.quota === b.quota && isSameAmount(a.left, b.left);

/** The same of all that they say, in the same order. */
export const areSameRefusals = (a: readonly Refusal[], b: readonly Refusal[]): boolean =>
  a.length === b.length && a.every((one, index) => isSameRefusal(one, b[index] ?? one));

export const coresOf = (value: number): Quantity => ({ kind: 'cores', value: millicores(Math.max(0, Math.trunc(value))) });
export const sizeOf = (value: number): Quantity => ({ kind: 'size', value: mebibytes(Math.max(0, Math.trunc(value))) });
export const numberOf = (value: number): Quantity => ({ kind: 'number', value });
export const textOf = (value: string): Quantity => ({ kind: 'text', value });

/** A quantity as the dialect prints it: cores and counts as numbers, sizes as `16Gb`. */
export const printQuantity = (quantity: Quantity, style: SizeStyle): string | number => {
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
};

/** The reason in one sentence for a person: who says no, why, and the numbers. */
export const refusalText = (refusal: Refusal, style: SizeStyle): string => {
  const { code, destination, asked, limit, detail } = refusal;
  const numbers = [
    asked === undefined ? '' : `asked ${printQuantity(asked, style)}`,
    limit === undefined ? '' : `limit ${printQuantity(limit, style)}`,
  ].filter((part) => part !== '');
  const sentence = detail === undefined ? REFUSALS[code] : `${REFUSALS[code]} ${detail}`;
  return `${destination === undefined ? '' : `${destination}: `}${sentence}${numbers.length === 0 ? '' : ` (${numbers.join(', ')})`}`;
};
