import { isUnstorable, type Database } from '../../db/client.ts';
import type { Promised } from '../../planner/offer.ts';
import { wholePromise, type KeptPromise } from '../../planner/record/shared-parts.ts';
import type { SessionState } from '../../planner/states.ts';
import type { JobResult, JobRunner, Usage } from '../../runners/port.ts';
import type { JobErrorCode } from '../../words/catalogue.ts';
import type { JobId } from '../../words/ids.ts';
import { storableText } from '../../words/safe-text.ts';
import type { Claimant } from './claimant.ts';
import { firstRow } from './rows.ts';

/** A job with everything that its executor needs. */
export type ClaimedJob = {
  readonly id: JobId;
  /**
   * what its executor does with the job counts until somebody takes the job under a later attempt
   */
  readonly attempt: number;
  readonly state: SessionState;
  readonly destination: string;
  readonly runner: string;
  readonly host: string | null;
  readonly promise: Promised;
  readonly executionS: number;
  /** the start that was offered, milliseconds of the epoch */
  readonly startsAt: number;
};

/** A job and the attempt under which its executor took it. */
export type ClaimedAttempt = Pick<ClaimedJob, 'id' | 'attempt'>;

/** The error summary of a job (UWS § 2.1.10), as the job column keeps it. */
type JobFault = {
  readonly code: JobErrorCode;
  readonly type: 'transient' | 'fatal';
  readonly message: string;
  readonly detail?: string;
};

export type JobEnding = {
  readonly state: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly fault: JobFault | null;
};

/** A job of which the lease was renewed. */
export type KeptLease = {
  readonly id: JobId;
  /** whether it is to be stopped */
  readonly stop: boolean;
  /** whether the book says that nobody knows what became of it */
  readonly unknown: boolean;
};

const UNSTORABLE: JobEnding = {
  state: 'FAILED',
  fault: {
    code: 'runner-failed',
    type: 'fatal',
    message: 'The engine told of an end, or of results, that cannot be kept.',
  },
};

/** What an executor notes of the jobs that it has. */
export function attemptsOf(
  database: Database,
  { executor, home, leaseSeconds }: Pick<Claimant, 'executor' | 'home' | 'leaseSeconds'>,
) {
  const isHeld = async (rows: Promise<{ held: boolean }[]>): Promise<boolean> =>
    (await firstRow(rows)).held;
  const writeEnd = (
    { id, attempt }: ClaimedAttempt,
    { state, fault }: JobEnding,
    results: readonly JobResult[],
    usage: Usage | undefined,
  ): Promise<boolean> => {
    const rows = JSON.stringify(
      // A sparse file may be longer than any number of the book.
      results.map(({ size, ...result }, place) => ({
        ...result,
        size: Math.min(size, Number.MAX_SAFE_INTEGER),
        place,
      })),
    );
    const error = fault === null ? null : JSON.stringify(fault, storableValue);
    const used = usage === undefined ? null : JSON.stringify(usage);
    return isHeld(database.$queryRaw`
      SELECT finish_job(${id}::uuid, ${executor}, ${state}::session_state, ${error}::jsonb,
        ${rows}::jsonb, ${attempt}, ${used}::jsonb) AS held`);
  };
  return {
    /** @returns undefined when another executor has it now */
    read: async (job: JobId): Promise<ClaimedJob | undefined> => {
      const [row] = await database.$queryRaw<
        (ClaimedJob & { promise: KeptPromise; document: unknown })[]
      >`
        SELECT o.id, j.attempt, o.state::text, o.destination_id AS destination, o.runner, j.host,
          o.promise, CASE WHEN o.promise ? 'shared' THEN a.document END AS document,
          j.execution_s AS "executionS",
          (extract(epoch FROM o.starts_at) * 1000)::float8 AS "startsAt"
        FROM offer o JOIN job j ON j.id = o.id JOIN ask a ON a.id = o.ask_id
        WHERE o.id = ${job}::uuid AND j.executor = ${executor}`;
      if (row === undefined) return undefined;
      const { document, ...claimed } = row;
      return { ...claimed, promise: wholePromise(claimed.promise, document) };
    },

    /**
     * Notes from where the engine of a job is reached: its destination may have got an engine of
     * another reach since it was accepted.
     */
    settle: async ({ id, attempt, host }: ClaimedJob, reach: JobRunner['reach']): Promise<void> => {
      const own = reach === 'anywhere' ? home.shared?.home : home.host;
      if (own === undefined || own === host) return;
      await database.$executeRaw`
        UPDATE job SET host = ${own} WHERE id = ${id}::uuid AND executor = ${executor}
        AND attempt = ${attempt}`;
    },

    /**
     * Asked right before a run starts.
     * @returns false when another executor has the job now; otherwise nobody else gets the job for
     *   a whole lease from now
     */
    hold: async ({ id, attempt }: ClaimedAttempt): Promise<boolean> =>
      isHeld(database.$queryRaw`
        SELECT hold_job(${id}::uuid, ${executor}, ${attempt}, make_interval(secs => ${leaseSeconds})) AS held`),

    /** @returns false when another executor has the job now */
    advance: async ({ id, attempt }: ClaimedAttempt, state: SessionState): Promise<boolean> =>
      isHeld(database.$queryRaw`
        SELECT advance_job(${id}::uuid, ${executor}, ${state}::session_state, ${attempt}) AS held`),

    /**
     * Notes that the engine cannot say what became of a job, or that it can again.
     * @returns false when another executor has it now
     */
    doubt: async ({ id, attempt }: ClaimedAttempt, doubt: boolean): Promise<boolean> =>
      isHeld(
        database.$queryRaw`SELECT doubt_job(${id}::uuid, ${executor}, ${doubt}, ${attempt}) AS held`,
      ),

    /**
     * Puts a job back that cannot begin for the time being.
     * @returns false when another executor has it now
     */
    putBack: async ({ id, attempt }: ClaimedAttempt, inSeconds: number): Promise<boolean> =>
      isHeld(database.$queryRaw`
        SELECT put_back_job(${id}::uuid, ${executor}, ${attempt}, make_interval(secs => ${inSeconds})) AS held`),

    /**
     * Asks for room for this many bytes of results, more than was promised.
     * @returns false when there is none
     */
    grow: async (job: JobId, bytes: number): Promise<boolean> =>
      (
        await firstRow(
          database.$queryRaw<
            { grown: boolean }[]
          >`SELECT grow_results(${job}::uuid, ${bytes}::bigint) AS grown`,
        )
      ).grown,

    /** Ends a job with its results. @returns false when another executor has it now */
    finish: (
      claimed: ClaimedAttempt,
      ending: JobEnding,
      results: readonly JobResult[],
      usage?: Usage,
    ): Promise<boolean> =>
      writeEnd(claimed, ending, results, usage).catch((error: unknown) => {
        if (!isUnstorable(error)) throw error;
        // Tried again it would fail again, and the job would never end.
        return writeEnd(claimed, UNSTORABLE, [], undefined);
      }),

    /** Renews the leases of those that are still ours, and tells what the book says of them. */
    keep: (jobs: readonly JobId[]): Promise<KeptLease[]> =>
      database.$queryRaw`
        SELECT id, stop, unknown
        FROM keep_leases(${executor}, ${[...jobs]}::uuid[],
          make_interval(secs => ${leaseSeconds}))`,
  };
}

/** For {@link JSON.stringify}: texts of jobs and engines as the book can keep them. */
function storableValue(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}
