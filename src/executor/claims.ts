import { isUnstorable, type Database } from '../db/client.ts';
import type { Promised } from '../planner/offer.ts';
import { wholePromise, type KeptPromise } from '../planner/record/shared-parts.ts';
import type { SessionState } from '../planner/states.ts';
import type { JobResult, Usage } from '../runners/port.ts';
import type { JobErrorCode } from '../words/catalogue.ts';
import type { JobId, ObjectId } from '../words/ids.ts';
import { storableText } from '../words/safe-text.ts';
import { homeNamesOf, messageFor, type ReachableJobs } from './reachable-jobs.ts';

/**
 * The name of this executor in the book, and how long it counts as alive without a sign of life.
 */
type Claimant = {
  readonly executor: string;
  readonly home: ReachableJobs;
  readonly leaseSeconds: number;
  /**
   * the book gives up a job of another home this long after its lease when no executor of that home
   * came back; 5 minutes when absent
   */
  readonly graceSeconds?: number;
};

const GRACE_S = 300;
/** Jobs that are taken over at once; the next beat finds the others. */
const MOST_ORPHANS = 50;

/**
 * What the book gives an executor to do, and at which destination it looked: `take_job` and
 * `begin_next` in prisma/functions.sql.
 */
export type JobClaim = { readonly destination: string | null } & (
  | { readonly verdict: 'begin' | 'resume' | 'lost' | 'elsewhere'; readonly job: JobId }
  | { readonly verdict: 'crowded' | 'none'; readonly job: null }
);

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

/** The executor's statements on the book; each is one round trip. */
export function createClaims(
  database: Database,
  { executor, home, leaseSeconds, graceSeconds = GRACE_S }: Claimant,
) {
  const { host } = home;
  const shared = JSON.stringify(home.shared ?? {});
  const firstOf = async <Row>(rows: Promise<Row[]>): Promise<Row> => {
    const [row] = await rows;
    if (row === undefined) throw new Error('the database answered nothing');
    return row;
  };
  const isHeld = async (rows: Promise<{ held: boolean }[]>): Promise<boolean> =>
    (await firstOf(rows)).held;
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
    /**
     * Goes on with this job when its executor is gone, else begins the next one of its destination.
     * @param isFollowed it is ours already
     */
    take: (job: JobId, isFollowed: boolean): Promise<JobClaim> =>
      firstOf(database.$queryRaw<JobClaim[]>`
        SELECT job, verdict, destination
        FROM take_job(${job}::uuid, ${isFollowed}, ${executor}, ${host},
          make_interval(secs => ${leaseSeconds}),
          ${shared}::jsonb, make_interval(secs => ${graceSeconds}))`),

    /**
     * Begins one job of a destination: of those that are due and fit, the one that was accepted
     * first.
     */
    next: (destination: string): Promise<JobClaim> =>
      firstOf(database.$queryRaw<JobClaim[]>`
        SELECT job, verdict, destination
        FROM begin_next(${destination}, ${executor}, ${host},
          make_interval(secs => ${leaseSeconds}),
          ${shared}::jsonb, make_interval(secs => ${graceSeconds}))`),

    /** Goes on with this job, which had begun, when its executor is gone. */
    goOn: (job: JobId): Promise<JobClaim> =>
      firstOf(database.$queryRaw<JobClaim[]>`
        SELECT CASE WHEN v IN ('resume', 'lost', 'elsewhere') THEN ${job}::uuid END AS job,
          CASE WHEN v IN ('resume', 'lost', 'elsewhere') THEN v ELSE 'none'
          END AS verdict, NULL AS destination
        FROM begin_job(${job}::uuid, ${executor}, ${host}, make_interval(secs => ${leaseSeconds}),
          ${shared}::jsonb, make_interval(secs => ${graceSeconds})) v`),

    /** @returns false while nobody has taken the job */
    hasBegun: async (job: JobId): Promise<boolean> => {
      const [row] = await database.$queryRaw<
        { begun: boolean }[]
      >`SELECT state NOT IN ('ACCEPTED', 'WAITING') AS begun FROM offer WHERE id = ${job}::uuid`;
      return row?.begun ?? true;
    },

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
        await firstOf(
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

    /** Sends a message to the executors: `send_to_executor` in prisma/functions.sql. */
    send: async (task: 'remove', job: JobId, inSeconds: number): Promise<void> => {
      await database.$executeRaw`
        SELECT send_to_executor(${task}, ${job}::uuid,
          clock_timestamp() + make_interval(secs => ${inSeconds}))`;
    },

    /** Asks the executors to look for what can begin at a destination. */
    lookAt: async (destination: string, inSeconds: number): Promise<void> => {
      await database.$executeRaw`
        SELECT look_at_destination(${destination},
          clock_timestamp() + make_interval(secs => ${inSeconds}))`;
    },

    /** Sends a message to the executors of one home; it waits until one of them is there. */
    sendHome: async (task: 'stop' | 'remove', job: JobId, to: string): Promise<void> => {
      await database.$executeRaw`SELECT send_to_executor(${messageFor(task, to)}, ${job}::uuid, clock_timestamp())`;
    },

    /** Jobs that nobody follows, and that only executors of these homes can go on with. */
    orphans: async (): Promise<readonly JobId[]> => {
      const rows = await database.$queryRaw<
        { id: JobId }[]
      >`SELECT id FROM orphans(${[...homeNamesOf(home)]}::text[], ${MOST_ORPHANS}) AS id`;
      return rows.map(({ id }) => id);
    },

    /** Where a job's files are. */
    engineOf: async (
      job: JobId,
    ): Promise<
      | { readonly destination: string; readonly runner: string; readonly host: string | null }
      | undefined
    > => {
      const [row] = await database.$queryRaw<
        { destination: string; runner: string; host: string | null }[]
      >`
        SELECT o.destination_id AS destination, o.runner, j.host FROM offer o
        LEFT JOIN job j ON j.id = o.id WHERE o.id = ${job}::uuid`;
      return row;
    },

    /** @returns false while the job has not ended */
    isOver: async (job: JobId): Promise<boolean> => {
      const [row] = await database.$queryRaw<
        { over: boolean }[]
      >`SELECT ended_at IS NOT NULL AS over FROM job WHERE id = ${job}::uuid`;
      return row?.over ?? true;
    },

    /** Removes the record of a destroyed job whose files are gone. */
    forget: async (job: JobId): Promise<void> => {
      await database.$executeRaw`SELECT forget_job(${job}::uuid)`;
    },

    /**
     * The store of an object that may be removed now; undefined when it
     * may not, or is gone already.
     */
    dueStore: async (object: ObjectId): Promise<string | undefined> => {
      const [row] = await database.$queryRaw<{ store: string }[]>`
        SELECT store FROM storage_reservation WHERE object_id = ${object}::uuid AND is_storage_due(object_id)`;
      return row?.store;
    },

    /** Frees the space of an object that is removed. */
    released: async (object: ObjectId): Promise<void> => {
      await database.$executeRaw`
        UPDATE storage_reservation SET state = 'RELEASED' WHERE object_id = ${object}::uuid
        AND state = 'FIRM'`;
    },

    /**
     * Gives the jobs back at a graceful end, so that the next executor does not wait for the leases
     * to lapse.
     */
    handBack: async (): Promise<void> => {
      await database.$executeRaw`
        UPDATE job SET lease_until = clock_timestamp() WHERE executor = ${executor}
        AND ended_at IS NULL`;
    },

    /** Executors of this host that hold jobs, or were alive lately. */
    neighbours: async (): Promise<readonly string[]> => {
      const rows = await database.$queryRaw<{ executor: string }[]>`
        SELECT executor FROM job WHERE starts_with(executor, ${`${host}:`}) AND ended_at IS NULL
        AND executor <> ${executor}
        UNION SELECT name FROM executor WHERE host = ${host} AND name <> ${executor}`;
      return rows.map((row) => row.executor);
    },

    /** Ends the leases of executors of this host that are known to be dead. */
    bury: async (dead: readonly string[]): Promise<void> => {
      await database.$executeRaw`
        UPDATE executor SET lease_until = clock_timestamp()
        WHERE name = ANY (${[...dead]}::text[])`;
      await database.$executeRaw`
        UPDATE job SET lease_until = clock_timestamp(), nudged_at = NULL
        WHERE executor = ANY (${[...dead]}::text[]) AND ended_at IS NULL`;
    },
  };
}

export type Claims = ReturnType<typeof createClaims>;

/** For {@link JSON.stringify}: texts of jobs and engines as the book can keep them. */
function storableValue(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}
