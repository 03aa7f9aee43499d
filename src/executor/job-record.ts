import type { Logger } from 'pino';
import { runsOf } from '../planner/judge/runs.ts';
import type { Promised } from '../planner/offer.ts';
import type { Observation, Outcome } from '../runners/port.ts';
import type { Claims } from './claims.ts';
import type { ClaimedAttempt } from './claims/attempts.ts';
import { jobEndingOf } from './ending.ts';
import type { HeldJob } from './held-jobs.ts';
import type { ResultsRoom } from './results-room.ts';

/** What engines say of a job that is not over. */
export type Going = Extract<Observation['state'], 'queued' | 'running' | 'unknown'>;

/** What the book says of the jobs that this executor holds. */
export type JobRecord = {
  /**
   * Ends a job in the book.
   *
   * @param promise of a run that has left something
   * @returns whether it was ours to end
   */
  readonly finish: (
    claimed: ClaimedAttempt,
    outcome: Outcome,
    promise?: Promised,
  ) => Promise<boolean>;
  /** Writes down what the engine says of a job that is not over, when that is new. */
  readonly show: (entry: HeldJob, state: Going) => Promise<void>;
};

export type JobRecordParts = {
  readonly claims: Claims;
  /** sees to what jobs leave; all of it stays when absent */
  readonly keeping?: ResultsRoom;
  readonly log: Logger;
  /** called when a job has ended in the book */
  readonly release: (claimed: ClaimedAttempt) => void;
};

export function openJobRecord({ claims, keeping, log, release }: JobRecordParts): JobRecord {
  return {
    finish: async (
      claimed: ClaimedAttempt,
      outcome: Outcome,
      promise?: Promised,
    ): Promise<boolean> => {
      const { id } = claimed;
      let isOurs = await claims.advance(claimed, 'RELEASING');
      const most = (promise?.results ?? Infinity) * 2 ** 20;
      const kept =
        isOurs && keeping !== undefined
          ? await keeping.within(id, outcome, most, (bytes) => claims.grow(id, bytes))
          : outcome;
      const ending = jobEndingOf(kept);
      isOurs &&= await claims.finish(claimed, ending, kept.results, kept.usage);
      release(claimed);
      const { state, fault } = ending;
      log.info({ offer: id, state, code: fault?.code, held: isOurs }, 'job ended');
      if (!isOurs || promise === undefined || keeping === undefined) return isOurs;
      // Nobody waits for it: there may be a million files.
      void keeping
        .tidy(
          id,
          runsOf(promise).length,
          kept.results.map(({ path }) => path),
        )
        .catch((error: unknown) =>
          log.warn({ err: error, offer: id }, 'not all files of a job could be removed'),
        );
      return isOurs;
    },
    show: async (entry, state) => {
      if (entry.shown === state) return;
      const { claimed, runner } = entry;
      if (entry.shown === 'unknown') await claims.doubt(claimed, false);
      const isOurs = await (state === 'unknown'
        ? claims.doubt(claimed, true)
        : claims.advance(claimed, state === 'queued' ? 'AVAILABLE' : 'RUNNING'));
      entry.shown = state;
      const message = state === 'running' ? 'job runs' : `job is ${state}`;
      if (isOurs) log.info({ offer: claimed.id, runner: runner.name }, message);
    },
  };
}
