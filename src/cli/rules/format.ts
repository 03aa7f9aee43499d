import { formatRules } from '../../vortex/tools/format.ts';
import { YamlError } from '../../yaml/index.ts';
import { openRulesLog } from './log.ts';
import { readSourceText, Unreadable } from '../terminal.ts';
import type { RulesCommand } from '../terminal.ts';
import { Misused, readWords } from '../words.ts';

/**
 * `planner format FILE`: prints the file in TPV's order.
 * @returns 1 if it cannot be read
 */
export const formatCommand: RulesCommand = async (words, terminal) => {
  const { files, verbosity } = readWords(words, {});
  const [file, ...more] = files;
  if (file === undefined || more.length > 0) throw new Misused('give one rule file');
  try {
    terminal.out(formatRules(await readSourceText(terminal, file)));
    return 0;
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof YamlError)) throw error;
    const place = error instanceof YamlError ? `${file}:${error.line}:${error.column}: ` : '';
    openRulesLog(terminal, verbosity)(
      'ERROR',
      'commands.shell',
      `format failed.\n${place}${error.message}`,
    );
    return 1;
  }
};
