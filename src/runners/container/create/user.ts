import { spawn } from 'node:child_process';
import type { JobHost } from '../../process/start/host.ts';
import { lendUser } from '../../process/start/lend-user.ts';
import { grant } from '../../process/start/start.ts';
import { writable, type JobDirectory } from '../../run/directory.ts';
import { JOB_PATH } from '../../run/environment.ts';
import type { RunRecord } from '../../run/record.ts';
import type { ContainerSettings } from '../settings.ts';

/** The user of a container, who gets its directories; undefined: the image's own. */
export async function giveUser(
  { users }: Pick<JobHost, 'users'>,
  settings: Pick<ContainerSettings, 'user'>,
  draft: JobDirectory,
  record: Partial<RunRecord>,
): Promise<string | undefined> {
  if (settings.user === 'image') {
    await openToImage(draft);
    return undefined;
  }
  if (users === undefined) return `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const uid = await lendUser(users, draft, record);
  await grant(draft, uid);
  return `${uid}:${uid}`;
}

/**
 * Any user of the image may write there; the job's directory itself is closed to all other users.
 */
function openToImage(draft: JobDirectory): Promise<void> {
  const words = ['-R', 'a+rwX', ...writable(draft), draft.task];
  return new Promise((resolve, reject) => {
    spawn('chmod', words, { stdio: 'ignore', env: { PATH: JOB_PATH } })
      .once('error', reject)
      .once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`chmod ended with ${code}`)),
      );
  });
}
