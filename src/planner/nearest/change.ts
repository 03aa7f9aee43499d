import type { Gpus } from '../../schedule/amount.ts';
import type { Instant, StartRange } from '../../schedule/interval.ts';
import type { Site } from '../../site/site.ts';
import {
  mebibytes,
  millicores,
  type Mebibytes,
  type Millicores,
  type Seconds,
} from '../../words/units.ts';
import type { Ask } from '../ask.ts';

/** The least or the most that is asked for. */
export type AmountBound = 'min' | 'max';

/**
 * One thing that a client could change; `to` undefined: leave it out. `of` counts parts, storage
 * items or windows of the ask, from 0.
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
  /** leave a compute item out */
  | { readonly what: 'item'; readonly of: number; readonly to: undefined }
  | { readonly what: 'size'; readonly of: number; readonly to: Mebibytes }
  /** of storage that outlives the run */
  | { readonly what: 'lifetime'; readonly of: number; readonly to: Seconds }
  | { readonly what: 'start'; readonly of: number; readonly to: StartRange }
  | { readonly what: 'duration'; readonly of: number; readonly to: Seconds }
  /** the environment that the task wants; `of` is 0 */
  | { readonly what: 'environment'; readonly of: number; readonly to: string }
  /** a requirement of the task; `of` counts those of its list */
  | { readonly what: 'requirement'; readonly of: number; readonly to: string }
  /** the limit of a cost; `of` counts the costs of the ask */
  | { readonly what: 'cost'; readonly of: number; readonly to: number | undefined };

/** What an ask is judged against: its own words, the site, and the database's time. */
export type Circumstance = { readonly ask: Ask; readonly site: Site; readonly now: Instant };

/**
 * Ways to meet one refusal; each is one change or a few that belong together. Empty: no change of
 * the ask meets it.
 */
export type Remedies = readonly (readonly Change[])[];

/** How far two asks are apart: how many fields differ, then the sum of their sizes (0 to 1 each). */
export type Distance = { readonly fields: number; readonly size: number };

/** The least size of a change to another type of GPUs; that of one to another environment. */
const OTHER_TYPE = 0.5;
/** A delay is measured against the run, or against an hour if the run is shorter. */
const SHORTEST_S = 3600;

/** A change of the least or the most cores (millicores) or memory (MiB) of a part. */
export function amountChange(
  what: 'cores' | 'memory',
  bound: AmountBound,
  of: number,
  to: number,
): Change {
  return what === 'cores'
    ? { what, bound, of, to: millicores(to) }
    : { what, bound, of, to: mebibytes(to) };
}

/** A higher minimum of a part, and a maximum that is not below it. */
export function higherMinimum(
  what: 'cores' | 'memory',
  of: number,
  to: number,
  max: number | undefined,
): readonly Change[] {
  return [
    amountChange(what, 'min', of, to),
    ...(max !== undefined && max < to ? [amountChange(what, 'max', of, to)] : []),
  ];
}

/** The size of a change, from 0 to 1. */
export function sizeOfChange(ask: Ask, change: Change, now: number): number {
  const { what, of, to } = change;
  switch (what) {
    case 'cores':
    case 'memory':
      return sizeBetween(ask.parts[of]?.[what][change.bound], to);
    case 'gpu':
      return sizeOfGpuChange(ask.parts[of]?.gpus, to);
    case 'replicas':
      return sizeBetween(ask.parts[of]?.replicas, to);
    case 'item':
      return 1;
    case 'size': {
      const item = ask.storage[of];
      return sizeBetween(item === undefined || item.kind === 'kept' ? undefined : item.size, to);
    }
    case 'lifetime': {
      const item = ask.storage[of];
      return sizeBetween(item?.kind === 'persistent' ? item.lifetime : undefined, to);
    }
    case 'start':
      return sizeOfDelay(ask, of, to, now);
    case 'duration':
      return sizeBetween(ask.windows[of]?.duration.min, to);
    case 'environment':
    case 'requirement':
      return OTHER_TYPE;
    case 'cost':
      // The client pays more only where no shorter or smaller run is a YES.
      return 1;
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
export function compareDistances(a: Distance, b: Distance): number {
  return a.fields - b.fields || a.size - b.size;
}

/** Are two changes about the same field of an ask? */
export function isSameField(a: Change, b: Change): boolean {
  return keyOf(a) === keyOf(b);
}

/** The changes of both lists; where they share a field, the one of `later`. */
export function combinedChanges(
  earlier: readonly Change[],
  later: readonly Change[],
): readonly Change[] {
  return [...new Map([...earlier, ...later].map((change) => [keyOf(change), change])).values()];
}

/** A text that is the same for the same changes, in any order. */
export function identityOfChanges(changes: readonly Change[]): string {
  return JSON.stringify(
    changes
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map((change) => [keyOf(change), change.to ?? null]),
  );
}

/** The part of the larger value by which it exceeds the smaller one; 1 if one of them is missing. */
function sizeBetween(from: number | undefined, to: number | undefined): number {
  return from === undefined || to === undefined ? 1 : 1 - Math.min(from, to) / Math.max(from, to);
}

function sizeOfGpuChange(from: Gpus | undefined, to: Gpus | undefined): number {
  if (from === undefined || to === undefined) return 1;
  const count = sizeBetween(from.count, to.count);
  return from.type === to.type ? count : Math.max(OTHER_TYPE, count);
}

function sizeOfDelay(ask: Ask, of: number, to: StartRange, now: number): number {
  const window = ask.windows[of];
  const earliest = window === undefined || window.start === 'now' ? now : window.start.earliest;
  const delay = Math.abs(to.earliest - earliest) / 1000;
  return delay / (delay + Math.max(SHORTEST_S, window?.duration.min ?? 0));
}

/** A change of both the type and the count of GPUs counts as two fields. */
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
