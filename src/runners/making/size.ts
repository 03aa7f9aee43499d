import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** MiB that a folder takes on its disc, as far as it can be counted. */
export async function megabytesOf(folder: string): Promise<number> {
  // Files vanish while they are counted, which ends `du` with a status; what it printed counts.
  const printed = await promisify(execFile)('du', ['-smx', '--', folder], { timeout: 30_000 }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout?: string }) => stdout ?? '',
  );
  return Number.parseInt(printed, 10) || 0;
}
