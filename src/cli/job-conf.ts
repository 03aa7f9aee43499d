import { dirname, isAbsolute, join } from 'node:path';
import { rulesOfJobConf as locate } from '../vortex/job-conf.ts';
import type { RuleSource } from '../vortex/index.ts';
import { isUrl, readSources, readText } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/** The rules that a job configuration of Galaxy names; paths in it are relative to it. Throws what cannot be read. */
export const rulesOfJobConf = async (terminal: Terminal, file: string): Promise<readonly RuleSource[]> => {
  const { files, configs } = locate(await readText(terminal, file));
  if (files === null) return (configs ?? []).map((text) => ({ name: '<inline config>', text }));
  return readSources(
    terminal,
    files.map((path) => (isAbsolute(path) || isUrl(path) ? path : join(dirname(file), path))),
  );
};
