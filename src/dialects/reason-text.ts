import type { Reason } from '../planner/reasons.ts';
import {
  printQuantity,
  askedOrNeededIn,
  type Quantity,
  type RefusedResource,
} from '../planner/refusal.ts';
import { REFUSALS } from '../words/catalogue.ts';
import type { SizeStyle } from '../words/units.ts';

/** A reason in one sentence for people: who says no, why, and the amounts. */
export function reasonText(
  { code, destinations, resource, asked, needed, limit, detail }: Reason,
  style: SizeStyle,
): string {
  const isLimitAlone = askedOrNeededIn({ asked, needed }) === undefined;
  const numbers = [
    asked === undefined ? '' : `asked ${amountText(asked, resource, style)}`,
    needed === undefined ? '' : `the task needs ${amountText(needed, resource, style)} here`,
    limit === undefined
      ? ''
      : `limit ${amountText(limit, isLimitAlone ? resource : undefined, style)}`,
  ].filter((part) => part !== '');
  const sentence = detail === undefined ? REFUSALS[code] : `${REFUSALS[code]} ${detail}`;
  return `${whoseText(destinations)}${sentence}${numbers.length === 0 ? '' : ` (${numbers.join(', ')})`}`;
}

/** An amount with its unit: `64 cores`, `16GiB of memory`. */
export function amountText(
  quantity: Quantity,
  resource: RefusedResource | undefined,
  style: SizeStyle,
): string {
  const value = printQuantity(quantity, style);
  if (resource === undefined) return `${value}`;
  const [one, several] = UNITS[resource];
  return `${value}${value === 1 ? one : several}`;
}

/** How many destinations a sentence names. */
const MOST_NAMED = 3;

const UNITS: Readonly<Record<RefusedResource, readonly [one: string, several: string]>> = {
  cores: [' core', ' cores'],
  gpus: [' GPU', ' GPUs'],
  memory: [' of memory', ' of memory'],
  scratch: [' of scratch space', ' of scratch space'],
  storage: [' of storage', ' of storage'],
  results: [' for results', ' for results'],
};

function whoseText(destinations: readonly string[]): string {
  const named = destinations.slice(
    0,
    destinations.length > MOST_NAMED + 1 ? MOST_NAMED : destinations.length,
  );
  const others = destinations.length - named.length;
  return named.length === 0
    ? ''
    : `${named.join(', ')}${others === 0 ? '' : ` and ${others} others`}: `;
}
