import type { Amount } from '../schedule/amount.ts';
import type { Instant } from '../schedule/interval.ts';
import type { RunnerName } from '../runners/engine.ts';
import type { DestinationId, ObjectId, OfferId } from '../words/ids.ts';
import type { Mebibytes, Millicores, Seconds } from '../words/units.ts';
import type { Ask, EphemeralStorage, ExternalStorage } from './ask.ts';
import type { SessionState } from './states.ts';

/**
 * A range that a running job may use: it starts with `min` and may grow
 * to `max`, which is what is held.
 */
export type OfferRange<Unit> = { readonly min: Unit; readonly max: Unit };

/**
 * The concrete storage that takes the place of a persistent item; it is
 * allocated once the offer is accepted.
 */
export type ManagedStorage = {
  readonly kind: 'managed';
  readonly name: string;
  readonly object: ObjectId;
  /** name in the site file */
  readonly backend: string;
  /** type URI of what it really is */
  readonly type: string;
  /** where clients reach it, when they can */
  readonly endpoint: string | undefined;
  readonly size: Mebibytes;
  /**
   * it is kept so long after the offered run; undefined for what an earlier job
   * left, which is reserved already
   */
  readonly lifetime: Seconds | undefined;
};

/** A storage item as it is promised. */
export type PromisedStorage = EphemeralStorage | ManagedStorage | ExternalStorage;

/**
 * What an offer promises: the task as asked, with the amounts of this
 * destination (draft 2023, level 2a).
 */
export type Promised = {
  readonly taskType: Ask['taskType'];
  readonly task: Ask['task'];
  readonly plugin: Ask['plugin'];
  readonly parts: Ask['parts'];
  /** of the whole task; what each item gets of it is `sharesOf` in parts.ts */
  readonly cores: OfferRange<Millicores>;
  readonly memory: OfferRange<Mebibytes>;
  /**
   * cores and memory beyond the minima are not kept for the job: it uses
   * them while nobody else needs them
   */
  readonly burst?: true | undefined;
  readonly scratch: Mebibytes;
  readonly gpus: Ask['gpus'];
  readonly storage: readonly PromisedStorage[];
  /**
   * what the job may leave for its client, all of it together;
   * undefined: as much as its scratch space
   */
  readonly results?: Mebibytes | undefined;
};

/** An offer before it is written: one slot at one destination. */
export type Proposal = {
  readonly destination: DestinationId;
  readonly runner: RunnerName;
  readonly promised: Promised;
  readonly amount: Amount;
  readonly startsAt: Instant;
  readonly expiresAt: Instant;
  readonly duration: Seconds;
  /** reserved before the start */
  readonly prepare: Seconds;
  readonly startWindow: Seconds;
  readonly release: Seconds;
  /** where its results count; undefined: nowhere */
  readonly resultPool?: string | undefined;
  /**
   * seconds for which it takes as much as the whole destination; `whole_of` in prisma/functions.sql
   */
  readonly work?: number;
};

/** An offer as it is in the book. */
export type Offer = {
  readonly id: OfferId;
  readonly state: SessionState;
  readonly owner: string;
  readonly destination: DestinationId;
  readonly promised: Promised;
  readonly startsAt: Instant;
  readonly expiresAt: Instant;
  readonly duration: Seconds;
  /** by the database's clock, when this was read; zero once the offer is decided */
  readonly secondsLeft: number;
};

/**
 * The amount that must be held for a promise: its maxima, so that growing never fails, or its
 * minima where they are all that is kept.
 */
export function amountOf({ cores, memory, scratch, gpus, burst }: Promised): Amount {
  return burst
    ? { cores: cores.min, memory: memory.min, scratch, gpus }
    : { cores: cores.max, memory: memory.max, scratch, gpus };
}
