import type { PromisedEnvironment } from '../environments/environment.ts';
import type { Amount } from '../schedule/amount.ts';
import type { Instant } from '../schedule/interval.ts';
import type { DestinationId, ObjectId } from '../words/ids.ts';
import type { Mebibytes, Millicores, Seconds } from '../words/units.ts';
import type { Ask, EphemeralStorage, ExternalStorage } from './ask.ts';

/** What a job may use: it starts with `min` and may grow to `max`, which is held for it. */
export type OfferRange<Unit> = { readonly min: Unit; readonly max: Unit };

/** The concrete storage of a persistent item; it is allocated when the offer is accepted. */
export type ManagedStorage = {
  readonly kind: 'managed';
  readonly name: string;
  readonly object: ObjectId;
  /** name in the site file */
  readonly backend: string;
  /** type URI of the store */
  readonly type: string;
  /** where clients reach it, if they can */
  readonly endpoint: string | undefined;
  readonly size: Mebibytes;
  /** how long it is kept after the offered run; undefined: an earlier job left it */
  readonly lifetime: Seconds | undefined;
};

/** A storage item of a promise. */
export type PromisedStorage = EphemeralStorage | ManagedStorage | ExternalStorage;

/** What a job at an offer costs, by the site file; `quotesOf` in costs.ts says what is counted. */
export type Quote = {
  /** URI of what is counted */
  readonly type: string;
  /** what the site calls it */
  readonly description?: string;
  /** for the shortest run that the ask names, with the smallest amounts of the offer */
  readonly min: number;
  /** for the whole offered run, with the largest amounts of the offer */
  readonly max: number;
};

/**
 * What an offer promises: the task as asked, with the amounts of this
 * destination (draft 2023, level 2a).
 */
export type Promised = {
  readonly taskType: Ask['taskType'];
  readonly task: Ask['task'];
  readonly plugin: Ask['plugin'];
  readonly parts: Ask['parts'];
  /** the Python in which it runs; undefined: it needs none, or what there is is not known */
  readonly environment?: PromisedEnvironment | undefined;
  /** of the whole task; `sharesOf` in parts.ts divides it among the items */
  readonly cores: OfferRange<Millicores>;
  readonly memory: OfferRange<Mebibytes>;
  /** cores and memory beyond the minima are not held; the job uses them while they are idle */
  readonly burst?: true | undefined;
  readonly scratch: Mebibytes;
  readonly gpus: Ask['gpus'];
  readonly storage: readonly PromisedStorage[];
  /** size of all results of the job; undefined: as much as its scratch space */
  readonly results?: Mebibytes | undefined;
  /** one of each type that the destination has; undefined: the site does not say what it costs */
  readonly costs?: readonly Quote[];
};

/** An offer before it is written: a time at a destination. */
export type Proposal = {
  readonly destination: DestinationId;
  readonly runner: string;
  readonly promised: Promised;
  readonly amount: Amount;
  readonly startsAt: Instant;
  readonly expiresAt: Instant;
  readonly duration: Seconds;
  /** reserved before the start */
  readonly prepare: Seconds;
  readonly startWindow: Seconds;
  readonly release: Seconds;
  /** the pool in which its results count; undefined: none */
  readonly resultPool?: string | undefined;
  /** the run in seconds of the whole destination; `whole_of` in prisma/functions.sql */
  readonly work?: number;
};

/** The amount that is held for a promise: its maxima, so that growing never fails; for a burst its minima. */
export function amountOf({ cores, memory, scratch, gpus, burst }: Promised): Amount {
  return burst
    ? { cores: cores.min, memory: memory.min, scratch, gpus }
    : { cores: cores.max, memory: memory.max, scratch, gpus };
}
