import { readSettings } from '../../settings.ts';
import { plainOf } from '../../places/writable.ts';
import { exclusively } from '../../runners/process/start/exclusive.ts';
import { errorText } from '../../words/system-error.ts';
import type { Command } from '../guarded.ts';
import { Misused, readPlain } from '../words.ts';
import { makeNotebooks, sandboxWarning } from './notebooks.ts';
import { notebooksPlace } from './place.ts';

/**
 * `planner setup notebooks`: makes a Python environment that notebooks can use.
 *
 * @returns 0; 1 when it cannot be made
 * @throws Misused for anything else to set up
 */
export const setup: Command = async (words, terminal) => {
  const [what] = readPlain(words, { least: 1 });
  if (what !== 'notebooks') throw new Misused(`only notebooks can be set up, not '${what}'`);
  const reading = readSettings(process.env);
  if (!reading.ok) {
    terminal.err(`${reading.problems.join('\n')}\n`);
    return 1;
  }
  const begun = performance.now();
  try {
    const place = notebooksPlace(reading.settings.dataDirectory);
    const { python, packages } = await exclusively(
      `planner-setup-${place.folder}`.slice(0, 90),
      () => makeNotebooks(place, terminal),
    );
    const seconds = Math.round((performance.now() - begun) / 1000);
    const warning = sandboxWarning();
    terminal.out(
      `Ready after ${seconds} s: Python ${python} with ${packages} packages.\n` +
        (warning === undefined ? '' : `${warning}\n`) +
        linesFor(place.python),
    );
    return 0;
  } catch (error) {
    terminal.err(`planner setup notebooks: ${errorText(plainOf(error))}\n`);
    return 1;
  }
};

/** What its user does next. */
function linesFor(python: string): string {
  return `
The demonstration has it from now on: npm run demo. In a site file of yours it is

environments:
  notebooks: { python: ${python} }
destinations:
  YOURS:
    runner: notebook
    environments: [notebooks]
`;
}
