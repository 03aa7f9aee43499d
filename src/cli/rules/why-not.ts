import { whyNot as explain } from '../../vortex/explain/why-not.ts';
import { JOB_LISTS, JOB_OPTIONS, jobOf } from './dry-run.ts';
import { withRules } from './loaded.ts';
import { readSources } from '../terminal.ts';
import type { RulesCommand } from '../terminal.ts';
import { Misused, readWords } from '../words.ts';

const OPTIONS = { ...JOB_OPTIONS, destination: { type: 'string' } } as const;

/**
 * `planner why-not --destination D [OPTION...] FILE...`: prints every reason why a job does not go
 * to a destination, with numbers.
 * @returns 1 if there is no such destination
 */
export const whyNotCommand: RulesCommand = async (words, terminal) => {
  const { values, files } = readWords(words, OPTIONS, JOB_LISTS);
  const { destination } = values;
  if (destination === undefined) throw new Misused('say which destination with --destination');
  if (files.length === 0) throw new Misused('give rule files');
  const job = jobOf(values);
  return withRules(await readSources(terminal, files), terminal, async (sandbox) => {
    const consideration = await sandbox.consider(job);
    if (consideration.kind === 'sandbox') {
      terminal.err(`${consideration.code}: ${consideration.message}\n`);
      return 1;
    }
    const answer = explain(consideration, destination);
    if (answer.kind === 'told') terminal.out(`${answer.lines.join('\n')}\n`);
    else
      terminal.err(
        `there is no destination '${destination}'; there are: ${answer.destinations.join(', ')}\n`,
      );
    return answer.kind === 'told' ? 0 : 1;
  });
};
