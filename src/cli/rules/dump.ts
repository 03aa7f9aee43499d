import { dumpText, dumpYaml } from '../../vortex/tools/dump.ts';
import { mergeFiles } from '../../vortex/file/merge-files.ts';
import { readRulesOfJobConf } from './job-conf.ts';
import { refused } from './loaded.ts';
import { openRulesLog } from './log.ts';
import { readSources } from '../terminal.ts';
import type { RulesCommand } from '../terminal.ts';
import { Misused, readWords } from '../words.ts';

const OPTIONS = {
  'job-conf': { type: 'string' },
  'output-format': { type: 'string', default: 'text' },
} as const;

/**
 * `planner dump [--job-conf F] [--output-format text|yaml] FILE...`: prints the merged
 * configuration like TPV.
 */
export const dump: RulesCommand = async (words, terminal) => {
  const { values, files, verbosity } = readWords(words, OPTIONS);
  const format = values['output-format'];
  if (format !== 'text' && format !== 'yaml')
    throw new Misused(`--output-format must be text or yaml, not '${format}'`);
  const jobConf = values['job-conf'];
  const sources =
    files.length > 0 || jobConf === undefined
      ? await readSources(terminal, files)
      : await readRulesOfJobConf(terminal, jobConf);
  if (sources.length === 0) {
    openRulesLog(terminal, verbosity)(
      'ERROR',
      'commands.shell',
      'No config files specified. Provide config files or --job-conf.',
    );
    return 0;
  }
  const merged = mergeFiles(sources, { keepsSpelling: true });
  if (!merged.ok) return refused(merged.problems, sources, terminal, verbosity);
  terminal.out(
    (format === 'text' ? dumpText : dumpYaml)(
      merged.config,
      sources.map(({ name }) => name),
    ),
  );
  return 0;
};
