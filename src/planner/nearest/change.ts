import type { Gpus } from '../../schedule/amount.ts';
import type { StartRange } from '../../schedule/interval.ts';
import type { Mebibytes, Millicores, Seconds } from '../../words/units.ts';
import type { Ask } from '../ask.ts';

/** The least or the most that is asked for. */
export type AmountBound = 'min' | 'max';

/**
 * One thing that a client could ask for otherwise; `to` undefined: not at all. Numbers count
 * parts, items and windows of the ask.
 */
export type Change =
  | {
      readonly what: 'cores';
      readonly bound: AmountBound;
      readonly of: number;
      readonly to: Millicores | undefined;
    }
  | {
      readonly what: 'memory';
      readonly bound: AmountBound;
      readonly of: number;
      readonly to: Mebibytes | undefined;
    }
  | { readonly what: 'gpu'; readonly of: number; readonly to: Gpus | undefined }
  | { readonly what: 'replicas'; readonly of: number; readonly to: number }
  /** a compute item is left out */
  | { readonly what: 'item'; readonly of: number; readonly to: undefined }
  | { readonly what: 'size'; readonly of: number; readonly to: Mebibytes }
  /** of what is kept after the run */
  | { readonly what: 'lifetime'; readonly of: number; readonly to: Seconds }
  | { readonly what: 'start'; readonly of: number; readonly to: StartRange }
  | { readonly what: 'duration'; readonly of: number; readonly to: Seconds };

/**
 * How far an ask is from another: so many fields, and among as many, how much each
 * of them changes (0 to 1 each).
 */
export type Distance = { readonly fields: number; readonly size: number };

/**
 * Another GPU type is half another task; a delay counts by how it compares with the run, or
 * with an hour if that is longer.
 */
const OTHER_TYPE = 0.5;
const SHORTEST_S = 3600;

/** How much one change changes, from 0 to 1. */
export function sizeOfChange(ask: Ask, change: Change, now: number): number {
  const { what, of, to } = change;
  switch (what) {
    case 'cores':
    case 'memory':
      return apart(ask.parts[of]?.[what][change.bound], to);
    case 'gpu':
      return ofGpus(ask.parts[of]?.gpus, to);
    case 'replicas':
      return apart(ask.parts[of]?.replicas, to);
    case 'item':
      return 1;
    case 'size': {
      const item = ask.storage[of];
      return apart(item === undefined || item.kind === 'kept' ? undefined : item.size, to);
    }
    case 'lifetime': {
      const item = ask.storage[of];
      return apart(item?.kind === 'persistent' ? item.lifetime : undefined, to);
    }
    case 'start':
      return ofStart(ask, of, to, now);
    case 'duration':
      return apart(ask.windows[of]?.duration.min, to);
    default:
      return change satisfies never;
  }
}

export function distanceOf(ask: Ask, changes: readonly Change[], now: number): Distance {
  return {
    fields: changes.reduce((sum, change) => sum + fieldsOf(ask, change), 0),
    size: changes.reduce((sum, change) => sum + sizeOfChange(ask, change, now), 0),
  };
}

/** Negative when `a` is nearer. */
export function nearer(a: Distance, b: Distance): number {
  return a.fields - b.fields || a.size - b.size;
}

/** Do two changes change the same field of an ask? */
export function isSameField(a: Change, b: Change): boolean {
  return keyOf(a) === keyOf(b);
}

/** The changes of both; of two for the same field that of `later`. */
export function combinedChanges(
  earlier: readonly Change[],
  later: readonly Change[],
): readonly Change[] {
  return [...new Map([...earlier, ...later].map((change) => [keyOf(change), change])).values()];
}

/** Two equal texts are the same changes. */
export function identityOfChanges(changes: readonly Change[]): string {
  return JSON.stringify(
    changes
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map((change) => [keyOf(change), change.to ?? null]),
  );
}

/**
 * What of the larger value is not in the smaller one; dropping, or asking for what
 * was not asked for, is the whole.
 */
function apart(from: number | undefined, to: number | undefined): number {
  return from === undefined || to === undefined ? 1 : 1 - Math.min(from, to) / Math.max(from, to);
}

function ofGpus(from: Gpus | undefined, to: Gpus | undefined): number {
  if (from === undefined || to === undefined) return 1;
  const count = apart(from.count, to.count);
  return from.type === to.type ? count : Math.max(OTHER_TYPE, count);
}

function ofStart(ask: Ask, of: number, to: StartRange, now: number): number {
  const window = ask.windows[of];
  const earliest = window === undefined || window.start === 'now' ? now : window.start.earliest;
  const delay = Math.abs(to.earliest - earliest) / 1000;
  return delay / (delay + Math.max(SHORTEST_S, window?.duration.min ?? 0));
}

/** Another type and another count of GPUs are two fields. */
function fieldsOf(ask: Ask, change: Change): number {
  const from = change.what === 'gpu' ? ask.parts[change.of]?.gpus : undefined;
  return change.what === 'gpu' &&
    from !== undefined &&
    change.to !== undefined &&
    from.type !== change.to.type &&
    from.count !== change.to.count
    ? 2
    : 1;
}

function keyOf(change: Change): string {
  return `${'bound' in change ? change.bound : ''} ${change.what} ${change.of}`;
}
