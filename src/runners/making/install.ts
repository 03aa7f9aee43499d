import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MadeTerms } from '../../environments/environment.ts';
import { isRoot } from '../../places/reachable.ts';
import { removeMade } from './housekeeping.ts';
import { keep } from './kept.ts';
import { markOf, placesOf } from './places.ts';
import { makeVenv, sizeProblem, type MakingTools } from './run-making.ts';
import { megabytesOf } from './size.ts';
import type { MakingFailure } from './words.ts';

/**
 * Makes an environment and keeps it under a key.
 *
 * @returns why nothing was made; undefined: it is kept, or another host's is
 */
export async function install(
  jobsRoot: string,
  terms: MadeTerms,
  requirements: readonly string[],
  key: string,
  tools: Omit<MakingTools, 'renew'>,
): Promise<MakingFailure | undefined> {
  const places = placesOf(jobsRoot);
  const id = randomUUID();
  const folder = join(places.made, id);
  await mkdir(folder, { mode: 0o755 });
  await chmod(folder, 0o755);
  await mkdir(join(places.uses, id), { mode: 0o700 });
  const renew = (): Promise<void> =>
    writeFile(markOf(places, id), '', { mode: 0o600 }).catch(() => undefined);
  let isKept = false;
  try {
    const made = await makeVenv(terms, requirements, folder, { ...tools, renew });
    if (!made.ok) return made;
    // Nobody writes to it from now on; links are changed and not followed.
    if (isRoot()) await promisify(execFile)('chown', ['-hR', '0:0', '--', folder]);
    await promisify(execFile)('chmod', ['-R', 'u=rwX,go=rX', '--', folder]);
    const { installed } = made;
    const megabytes = await megabytesOf(folder);
    if (megabytes > terms.size) return { why: sizeProblem(terms), isFinal: true };
    isKept = await keep(jobsRoot, key, terms, { id, megabytes, installed });
    return undefined;
  } finally {
    if (!isKept) await removeMade(places, id);
  }
}
