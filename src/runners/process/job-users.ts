import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '../../words/run-id.ts';
import { readProcesses } from './census.ts';

/** Unprivileged user ids, first and last included, that belong to nobody else on the machine. */
export type UidRange = { readonly first: number; readonly last: number };

/**
 * Debian's policy leaves 60000-64999 to the system's administrators and 65000-65533 unused; systemd's dynamic users are
 * 61184-65519, which is this range. 65534 is `nobody`: NFS and the embedded PostgreSQL use it, so a job never gets it.
 */
export const DEFAULT_UIDS: UidRange = { first: 61_184, last: 65_519 };

const NOBODY = 65_534;

/** Lends each running job a user of its own; the loans are files, so every executor of the machine sees them. */
export type JobUsers = {
  /**
   * Uid for this job, or undefined when all are lent. `note` is called before the loan counts, so that it is never
   * lost.
   */
  readonly lend: (job: RunId, note: (uid: number) => Promise<void>) => Promise<number | undefined>;
  /** Ends the loan of `uid`, if it is still this job's. */
  readonly giveBack: (job: RunId, uid: number) => Promise<void>;
};

/** @param directory where the loans are kept, one file per uid with the id of the job in it; mode 0700 */
export const jobUsers = (directory: string, { first, last }: UidRange): JobUsers => {
  const loan = (uid: number): string => join(directory, String(uid));
  const count = last - first + 1;
  return {
    lend: async (job, note) => {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const inUse = new Set(readProcesses().map(({ uid }) => uid));
      // Another service on this machine has its own loans: starting at a place that the job id gives keeps two services
      // that start jobs in the same instant apart; processes that already run are seen.
      const start = createHash('sha256').update(job).digest().readUInt32BE(0) % count;
      for (let step = 0; step < count; step += 1) {
        const uid = first + ((start + step) % count);
        if (uid === NOBODY || inUse.has(uid)) continue;
        await note(uid);
        const taken = await writeFile(loan(uid), job, { flag: 'wx', mode: 0o600 }).then(() => true, () => false);
        if (taken) return uid;
      }
      return undefined;
    },
    giveBack: async (job, uid) => {
      const holder = await readFile(loan(uid), 'utf8').catch(() => '');
      if (holder === job) await rm(loan(uid), { force: true });
    },
  };
};
