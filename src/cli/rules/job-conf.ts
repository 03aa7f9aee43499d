import { dirname, isAbsolute, resolve } from 'node:path';
import { rulesOfJobConf as locate } from '../../vortex/tools/job-conf.ts';
import type { RuleSource } from '../../vortex/index.ts';
import { readSources, readSourceText } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';

/**
 * The rule files that a job configuration of Galaxy names; its paths are relative to its folder.
 * Throws errors of reading.
 */
export async function readRulesOfJobConf(
  terminal: Terminal,
  file: string,
): Promise<readonly RuleSource[]> {
  const { files, configs } = locate(await readSourceText(terminal, file));
  if (files === null) return (configs ?? []).map((text) => ({ name: '<inline config>', text }));
  return readSources(
    terminal,
    files.map((path) => besides(resolve(terminal.folder), file, path)),
  );
}

/**
 * TPV's name for a rule file of a job configuration in `folder`: joined to the folder of the
 * configuration and not normalised. By POSIX, exactly two leading slashes differ from one.
 */
export function besides(folder: string, jobConf: string, path: string): string {
  if (isAbsolute(path) || path.includes('://')) return path;
  const own = `${/^\/\/(?!\/)/.test(jobConf) ? '/' : ''}${dirname(resolve(folder, jobConf))}`;
  return own.endsWith('/') ? `${own}${path}` : `${own}/${path}`;
}
