import type { Database } from '../../db/client.ts';
import type { JobId, ObjectId } from '../../words/ids.ts';
import { messageFor } from '../reachable-jobs.ts';

/** Messages to executors, and what remains of jobs and objects until their files are gone. */
export function afterwardsOf(database: Database) {
  return {
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
  };
}
