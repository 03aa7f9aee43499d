import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/client.ts';
import { ClaimLost } from '../runners/claim-lost.ts';
import { GiveAgain, isPassing, NotYet } from '../runners/passing.ts';
import type { Assignment, JobRunner } from '../runners/port.ts';
import type { Runners } from '../runners/registry.ts';
import { limitConcurrency } from '../words/concurrency.ts';
import type { JobId } from '../words/ids.ts';
import { assignmentOf } from './assignment.ts';
import type { Claims } from './claims.ts';
import type { ClaimedJob } from './claims/attempts.ts';
import type { JobClaim } from './claims/taking.ts';
import { engineFailure, lostRun } from './ending.ts';
import type { HeldJob, HeldJobs } from './held-jobs.ts';

/** Takes jobs from the book and gives them to their engines. */
type Beginning = {
  /** Goes on with this job when nobody has it, else begins the next one of its destination. */
  readonly execute: (job: JobId) => Promise<void>;
  /** Begins what can begin at this destination. */
  readonly look: (destination: string) => Promise<void>;
};

export type BeginningParts = {
  readonly claims: Claims;
  readonly runners: Runners;
  /** what is short on the disc that jobs write to; there is always enough when absent */
  readonly disc?: () => Promise<object | undefined>;
  readonly log: Logger;
};

/** A destination that is full now is looked at again after so many seconds. */
const CROWDED_RETRY_S = 2;
/** People empty a full disc, or results whose time is over make room. */
const FULL_RETRY_S = 5;
/** A job that cannot begin for a reason that passes is looked at again after so many seconds. */
const PASSING_RETRY_S = 5;

export function createBeginning(
  { claims, runners, disc, log }: BeginningParts,
  held: HeldJobs,
): Beginning {
  const taking = new Set<JobId>();
  /**
   * One claim at a time: what the book gave us is known here before it is asked again, so that
   * nothing is taken twice.
   */
  const claiming = limitConcurrency(1);
  const isOurs = (job: JobId): boolean => held.has(job) || taking.has(job);

  /** What becomes of a job that could not be given to its engine. */
  const ungiven = async (entry: HeldJob, error: unknown): Promise<void> => {
    const { claimed } = entry;
    const { id: offer } = claimed;
    if (error instanceof ClaimLost) {
      held.release(claimed);
      return log.warn({ offer }, 'another executor has the job now');
    }
    if (isPassing(error)) {
      held.release(claimed);
      const isHeld = await claims.putBack(claimed, PASSING_RETRY_S);
      return log.warn(
        { err: error, offer, held: isHeld },
        'the job cannot begin for the time being, and waits',
      );
    }
    log.error({ err: error, offer }, 'the runner failed');
    return held.finishIncomplete(entry, engineFailure(error));
  };

  const give = async (entry: HeldJob, assignment: Assignment): Promise<void> => {
    entry.giveAgain = undefined;
    try {
      await entry.runner.submit(assignment);
      entry.isGiven = true;
    } catch (error) {
      if (!(error instanceof GiveAgain)) return ungiven(entry, error);
      entry.giveAgain = () => give(entry, assignment);
      return log.warn(
        { err: error, offer: assignment.job },
        'the job is given to its engine again',
      );
    }
    return held.lookAt(assignment.job);
  };

  /** A database that is away for a moment says nothing about the claim, and fails no job. */
  const isStillHeld = async (job: ClaimedJob): Promise<boolean> => {
    try {
      return await claims.hold(job);
    } catch (error) {
      throw isDatabaseAway(error)
        ? new GiveAgain('the database cannot be asked for the claim', { cause: error })
        : error;
    }
  };

  const start = async (job: ClaimedJob, runner: JobRunner): Promise<void> => {
    await claims.settle(job, runner.reach);
    const entry = held.hold(job, runner, false);
    const claim = { isHeld: () => isStillHeld(job), stopped: entry.stopping.signal };
    const assignment = assignmentOf(job, claim);
    const isElsewhere = runners.byDestination.get(job.destination)?.name !== runner.name;
    return isElsewhere && assignment.machines.some(({ gpus }) => gpus !== undefined)
      ? ungiven(entry, new NotYet(`GPUs of other destinations than ${job.destination} may differ`))
      : give(entry, assignment);
  };

  /** Goes on with a job that an executor before us had begun. */
  const resume = async (job: ClaimedJob, runner: JobRunner): Promise<void> => {
    const seen = await runner.look(job.id);
    log.warn({ offer: job.id, state: job.state, seen: seen.state }, 'job taken over');
    if (seen.state === 'absent' && job.state === 'PREPARING') return start(job, runner);
    held.hold(job, runner, true);
    return held.lookAt(job.id);
  };

  const take = async (id: JobId, verdict: 'begin' | 'resume' | 'lost'): Promise<void> => {
    const job = await claims.read(id);
    if (job === undefined) return;
    // Nobody who could reach it came back. Should one of them come later, the book has told him to
    // stop what still runs.
    const why = `no executor of ${job.host ?? 'its host'} came back to it`;
    if (verdict === 'lost') return void (await held.finish(job, lostRun(why)));
    const runner = await runners.of(job.destination, job.runner, id);
    if (runner !== undefined) return verdict === 'begin' ? start(job, runner) : resume(job, runner);
    // The book gives us such a job only when it is to be stopped, and has it stopped later.
    await held.finish(job, lostRun(`this executor has no runner ${job.runner}`));
  };

  const claim = (ask: () => Promise<JobClaim>): Promise<JobClaim> =>
    claiming(async () => {
      const claimed = await ask();
      if (claimed.job !== null) taking.add(claimed.job);
      return claimed;
    });

  const act = async ({ job, verdict, destination }: JobClaim): Promise<void> => {
    if (verdict === 'crowded' && destination !== null)
      await claims.lookAt(destination, CROWDED_RETRY_S);
    if (job === null) return;
    try {
      if (verdict !== 'elsewhere') await take(job, verdict);
    } catch (error) {
      // A job that is half taken is not taken: once the lease is over, or with the next message, it
      // is found as ours in the book and resumed.
      held.forget(job);
      throw error;
    } finally {
      taking.delete(job);
    }
  };

  /** On a full disc a job would fail for no fault of its own: it waits, and what runs goes on. */
  const isFull = async (): Promise<boolean> => {
    const short = await disc?.();
    if (short !== undefined) log.warn(short, 'no job begins: the disc is nearly full');
    return short !== undefined;
  };

  /** Goes on with a job that had begun; another one waits for room on the disc. */
  const goOn = async (id: JobId): Promise<JobClaim> => {
    if (!isOurs(id) && (await claims.hasBegun(id))) return claims.goOn(id);
    const destination = isOurs(id) ? undefined : (await claims.engineOf(id))?.destination;
    if (destination !== undefined) await claims.lookAt(destination, FULL_RETRY_S);
    return { job: null, verdict: 'none', destination: null };
  };

  return {
    execute: async (id) =>
      act(await claim(async () => ((await isFull()) ? goOn(id) : claims.take(id, isOurs(id))))),
    look: async (destination) => {
      if (await isFull()) return claims.lookAt(destination, FULL_RETRY_S);
      const claimed = await claim(() => claims.next(destination));
      // Others look for the next one meanwhile: giving a job to its engine takes longer than finding
      // it.
      if (claimed.verdict === 'begin') await claims.lookAt(destination, 0);
      return act(claimed);
    },
  };
}
