import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MadeTerms } from '../../environments/environment.ts';
import { isRoot } from '../../places/reachable.ts';

/** Where made environments are: in the folder of all jobs, which their accounts can reach. */
export type MadePlaces = {
  readonly root: string;
  /** a folder for each environment */
  readonly made: string;
  /** a file for each one that is ready, by its key; its time is that of the last use */
  readonly ready: string;
  /** a file for each one that could not be made */
  readonly failed: string;
  /** a folder for each one that is made, with a file for each run that has it */
  readonly uses: string;
};

/** The places of made environments; nothing is created. */
export function placesOf(jobsRoot: string): MadePlaces {
  const root = join(jobsRoot, '.environments');
  const at = (name: string): string => join(root, name);
  return { root, made: at('made'), ready: at('ready'), failed: at('failed'), uses: at('uses') };
}

/** A file that a making renews, so that nobody takes it for dead. */
export function markOf({ uses }: MadePlaces, folder: string): string {
  return join(uses, folder, 'making');
}

/** Creates them. Jobs pass through to their own environment, and list nothing. */
export async function makePlaces({ root, made, ready, failed, uses }: MadePlaces): Promise<void> {
  const open = isRoot() ? 0o711 : 0o700;
  for (const [path, mode] of [
    [root, open],
    [made, open],
    [ready, 0o700],
    [failed, 0o700],
    [uses, 0o700],
  ] as const)
    // The umask may have taken rights away from a new folder.
    if ((await mkdir(path, { recursive: true, mode })) !== undefined) await chmod(path, mode);
}

/** A name for the settings that decide what an installer does. */
export function keyOfTerms({ python, index, builds }: MadeTerms): string {
  return shortDigest([python, index, builds]);
}

/** A short name for a value. */
export function shortDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
