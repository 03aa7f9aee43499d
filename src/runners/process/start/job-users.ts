import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '../../../words/run-id.ts';
import { readProcesses } from '../supervise/processes.ts';
import { runOfHolder } from '../../run/draft.ts';
import { endForgotten } from './loan-owners.ts';
import { openLoans } from './loans.ts';

/** Unprivileged user ids, first and last included, that belong to nobody else on the machine. */
export type UidRange = { readonly first: number; readonly last: number };

/**
 * Debian's policy leaves 60000-64999 to the system's administrators and 65000-65533 unused;
 * systemd's dynamic users are 61184-65519, which is this range. 65534 is `nobody`: NFS and the
 * embedded PostgreSQL use it, so a job never gets it.
 */
export const DEFAULT_UIDS: UidRange = { first: 61_184, last: 65_519 };

const NOBODY = 65_534;

/** The user of a run. Records of the previous version name no holder. */
type LentUser = { readonly uid: number; readonly holder: string | undefined };

/**
 * Lends each running job a user of its own; the loans are files, so every
 * executor of the machine sees them.
 */
export type JobUsers = {
  /**
   * Lends a uid to a draft of a run; undefined when all are lent. Calls `note` before the loan
   * counts, so that no loan is lost.
   */
  readonly lend: (
    holder: string,
    note: (uid: number) => Promise<void>,
  ) => Promise<number | undefined>;
  /** Ends the loan of a run, if it is still that run's. */
  readonly giveBack: (job: RunId, user: LentUser) => Promise<void>;
  /** Ends all loans of a draft. */
  readonly letGo: (holder: string) => Promise<void>;
  /** The file that is there as long as the user is lent to this run. */
  readonly proof: (user: LentUser) => string;
};

/**
 * @param jobsRoot directory of all jobs
 * @param directory where the loans are kept; mode 0700
 */
export function jobUsers(jobsRoot: string, directory: string, { first, last }: UidRange): JobUsers {
  const loans = openLoans(directory);
  const count = last - first + 1;

  const search = async (
    holder: string,
    note: (uid: number) => Promise<void>,
  ): Promise<number | undefined> => {
    const inUse = new Set(readProcesses().map(({ uid }) => uid));
    // Another service on this machine has its own loans. The search skips users with processes, and
    // begins at a place that depends on the job id, so that two services that start jobs at the
    // same instant rarely meet.
    const start = hash('sha256', runOfHolder(holder) ?? holder, 'buffer').readUInt32BE(0) % count;
    for (let step = 0; step < count; step += 1) {
      const uid = first + ((start + step) % count);
      if (uid === NOBODY || inUse.has(uid)) continue;
      await note(uid);
      if (await loans.take({ thing: String(uid), holder, note: '' })) return uid;
    }
    return undefined;
  };

  return {
    lend: async (holder, note) => {
      const uid = await search(holder, note);
      if (uid !== undefined) return uid;
      await endForgotten(jobsRoot, loans);
      return search(holder, note);
    },
    giveBack: async (job, { uid, holder }) => {
      if (holder !== undefined) return loans.end({ thing: String(uid), holder });
      const file = join(directory, String(uid));
      if ((await readFile(file, 'utf8').catch(() => '')) === job) await rm(file, { force: true });
    },
    letGo: loans.endAll,
    proof: ({ uid, holder }) =>
      holder === undefined
        ? join(directory, String(uid))
        : loans.file({ thing: String(uid), holder }),
  };
}
