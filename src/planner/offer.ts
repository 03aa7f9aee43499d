import type { Amount } from '../schedule/amount.ts';
import type { Instant } from '../schedule/interval.ts';
import type { RunnerName } from '../runners/port.ts';
import type { DestinationId, OfferId } from '../words/ids.ts';
import type { Mebibytes, Millicores, Seconds } from '../words/units.ts';
import type { Ask } from './ask.ts';
import type { SessionState } from './states.ts';

/** A range that a running job may use: it starts with `min` and may grow to `max`, which is what is held. */
export type Range<Unit> = { readonly min: Unit; readonly max: Unit };

/** What an offer promises: the task as asked, with the amounts of this destination (draft 2023, level 2a). */
export type Promised = {
  readonly taskType: Ask['taskType'];
  readonly task: Ask['task'];
  readonly name: string | undefined;
  readonly cores: Range<Millicores>;
  readonly memory: Range<Mebibytes>;
  readonly scratch: Mebibytes;
  readonly gpus: Ask['gpus'];
  readonly volumes: Ask['volumes'];
  readonly storage: Ask['storage'];
};

/** An offer before it is written: one slot at one destination (R7). */
export type Proposal = {
  readonly destination: DestinationId;
  readonly runner: RunnerName;
  readonly promised: Promised;
  readonly amount: Amount;
  readonly startsAt: Instant;
  readonly expiresAt: Instant;
  readonly duration: Seconds;
  readonly startWindow: Seconds;
  readonly release: Seconds;
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

/** The amount that must be held for a promise: its maxima, so that growing never fails. */
export const amountOf = ({ cores, memory, scratch, gpus }: Promised): Amount => ({ cores: cores.max, memory: memory.max, scratch, gpus });
