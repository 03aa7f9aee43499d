import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { rootOf } from '../runners/run/directory.ts';
import type { JobId } from '../words/ids.ts';
import { homeNamesOf, type ReachableJobs } from './reachable-jobs.ts';

/** The most that one round looks at; the next round takes others. */
const MOST = 200;

type Heir = {
  readonly database: Database;
  readonly home: ReachableJobs;
  /** directory of all jobs */ readonly jobsRoot: string;
  readonly log: Logger;
};

/**
 * Does one round: removes files of jobs whose host is gone (a container has another name after
 * every start, unless it is given one). This host has the same directory of jobs when the files are
 * there.
 */
export async function inheritRound({ database, home, jobsRoot, log }: Heir): Promise<void> {
  const stranded = await database.$queryRaw<
    { id: JobId; host: string }[]
  >`SELECT id, host FROM stranded_files(${[...homeNamesOf(home)]}::text[], ${MOST})`;
  for (const { id, host } of stranded) {
    if (!existsSync(rootOf(jobsRoot, id))) continue;
    await database.$executeRaw`SELECT inherit_files(${id}::uuid, ${host}, ${home.host})`;
    log.info({ offer: id, host }, 'files of a host that is gone are removed here');
  }
}
