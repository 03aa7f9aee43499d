import { dirname, isAbsolute, resolve } from 'node:path';
import { rulesOfJobConf as locate } from '../vortex/job-conf.ts';
import type { RuleSource } from '../vortex/index.ts';
import { isUrl, readSources, readText } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/** The rules that a job configuration of Galaxy names; paths in it are relative to it. Throws what cannot be read. */
export const rulesOfJobConf = async (terminal: Terminal, file: string): Promise<readonly RuleSource[]> => {
  const { files, configs } = locate(await readText(terminal, file));
  if (files === null) return (configs ?? []).map((text) => ({ name: '<inline config>', text }));
  // As TPV names them: joined, and not made shorter.
  const folder = dirname(resolve(terminal.folder, file));
  return readSources(
    terminal,
    files.map((path) => (isAbsolute(path) || isUrl(path) ? path : `${folder}/${path}`)),
  );
};
