import { chown } from 'node:fs/promises';
import { JobFailure } from '../../../words/job-failure.ts';
import type { JobHost } from '../../process/start/host.ts';
import { lendUser } from '../../process/start/lend-user.ts';
import { grant } from '../../process/start/start.ts';
import type { JobDirectory } from '../../run/directory.ts';
import type { RunRecord } from '../../run/record.ts';
import type { PodUser } from './pod.ts';

/**
 * The user of a job's pods, who gets its directories. Nothing hostile is in them yet.
 *
 * @throws JobFailure where pods would run as root, NotYet while all users are lent
 */
export async function givePodUser(
  { users }: Pick<JobHost, 'users'>,
  draft: JobDirectory,
  record: Partial<RunRecord>,
): Promise<PodUser> {
  if (users === undefined) {
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    if (uid === 0)
      throw new JobFailure(
        'runner-failed',
        'no pod runs as root: this executor must give jobs users of their own, or not be root',
      );
    return { uid, gid };
  }
  const uid = await lendUser(users, draft, record);
  await grant(draft, uid);
  for (const path of [draft.stdout, draft.stderr]) await chown(path, uid, uid);
  return { uid, gid: uid };
}
