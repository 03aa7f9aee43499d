import { check } from './check.ts';
import { demo } from './demo.ts';
import { onTerminal, RULES_COMMANDS } from './rules-commands.ts';
import { serve } from './serve.ts';
import { nameAndWords } from './words.ts';

/** Names, what they do, and the function that does it; each returns the exit code. */
const COMMANDS = {
  serve: { does: 'run the service until it is stopped', run: serve },
  check: { does: 'check the site file and its rule files without starting: planner check [SITE_FILE]', run: check },
  demo: { does: 'start a service, ask it the question of the specification, and follow the job', run: demo },
  lint: {
    does: 'check rule files: planner lint [-v] [--ignore CODES] [--format text|json|sarif] FILE...',
    run: onTerminal(RULES_COMMANDS.lint),
  },
  format: { does: 'print a rule file in order: planner format FILE', run: onTerminal(RULES_COMMANDS.format) },
  dump: {
    does: 'print the merged rules: planner dump [--job-conf F] [--output-format text|yaml] FILE...',
    run: onTerminal(RULES_COMMANDS.dump),
  },
  'dry-run': {
    does: 'where a job would go: planner dry-run [--tool ID] [--user EMAIL] [--explain] FILE...',
    run: onTerminal(RULES_COMMANDS['dry-run']),
  },
  'why-not': {
    does: 'why a job does not go to a destination: planner why-not --destination D [--tool ID] FILE...',
    run: onTerminal(RULES_COMMANDS['why-not']),
  },
  diff: {
    does: 'which recorded jobs go elsewhere under new rules: planner diff OLD NEW --jobs JOBS',
    run: onTerminal(RULES_COMMANDS.diff),
  },
} as const;

const usage = (): string =>
  [
    'usage: planner COMMAND',
    ...Object.entries(COMMANDS).map(([name, { does }]) => `  ${name.padEnd(9)}${does}`),
    'Settings are environment variables; docs/operations.md lists them.',
  ].join('\n');

// Who reads our output may leave (`planner demo | head`); the work goes on and everything is stopped in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const [name, words] = nameAndWords(process.argv.slice(2));
const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
if (command === undefined) {
  const asked = name === '' || name === 'help' || name === '--help' || name === '-h';
  (asked ? console.log : console.error)(asked ? usage() : `planner: there is no command '${name}'\n${usage()}`);
  process.exitCode = asked ? 0 : 2;
} else {
  process.exitCode = await command.run(words, process.env);
}
