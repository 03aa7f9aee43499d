import type { Ask } from './ask.ts';
import { isOneMachine } from './judge/parts.ts';

/**
 * The part of an ask that a refusal is about. The dialect of the ask says where it stands in the
 * client's document. Parts, storage items and windows count from 0.
 */
export type AskPlace =
  | { readonly what: 'task' | 'task-type' | 'identity' }
  /** `at` is a path within the details of the task, as its type names them; empty: all of them */
  | { readonly what: 'spec'; readonly at: string }
  /** all compute items */
  | { readonly what: 'parts' }
  /** a bound of each machine of a part, or of the whole task */
  | {
      readonly what: 'cores' | 'memory';
      readonly bound: 'min' | 'max';
      readonly part: number | 'all';
    }
  | { readonly what: 'gpus' | 'gpu-count'; readonly part: number | 'all' }
  | { readonly what: 'gpu-type'; readonly part: number }
  | { readonly what: 'compute-type' | 'arch' | 'replicas'; readonly part: number }
  /** the block of a part's type, which has the name of the type */
  | { readonly what: 'compute-block'; readonly part: number; readonly name: string }
  | { readonly what: 'volume'; readonly part: number; readonly volume: number }
  /** the scratch space of the whole task */
  | { readonly what: 'scratch' }
  | { readonly what: 'storage' | 'size' | 'lifetime' | 'object'; readonly item: number }
  | { readonly what: 'window' | 'duration'; readonly window: number }
  /** the limit of a cost; costs count from 0 */
  | { readonly what: 'cost'; readonly cost: number }
  /** found by the dialect while it read the document; in its own words */
  | { readonly what: 'written'; readonly path: string };

/** The place of an amount of the whole task: its only part, or all parts. */
export function placeOfAmount({ parts }: Pick<Ask, 'parts'>, what: keyof typeof OF_ONE): AskPlace {
  return isOneMachine(parts) ? OF_ONE[what] : OF_ALL[what];
}

/** The part that a refusal is about; undefined: all of them, or something else. */
export function partAt(place: AskPlace): number | undefined {
  return 'part' in place && place.part !== 'all' ? place.part : undefined;
}

/** Are two places the same? A NO of 1,000 destinations compares thousands, so this makes no text. */
export function isSamePlace(a: AskPlace, b: AskPlace): boolean {
  if (a === b) return true;
  if (a.what !== b.what) return false;
  const [one, other]: [Fields, Fields] = [a, b];
  for (const key in one) if (one[key] !== other[key]) return false;
  return true;
}

/** The same objects for all destinations, which compare faster. */
const OF_ONE = amountPlaces(0);
const OF_ALL = amountPlaces('all');

function amountPlaces(part: 0 | 'all') {
  return {
    cores: { what: 'cores', bound: 'min', part },
    memory: { what: 'memory', bound: 'min', part },
    gpus: { what: 'gpus', part },
    scratch: { what: 'scratch' },
  } as const satisfies Readonly<Record<string, AskPlace>>;
}

type Fields = Readonly<Record<string, unknown>>;
