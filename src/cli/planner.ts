import { readFile } from 'node:fs/promises';
import type { RULES_COMMANDS } from './rules-commands.ts';
import { nameAndWords } from './words.ts';

type Run = (words: readonly string[], environment: NodeJS.ProcessEnv) => Promise<number>;

const onRules = (name: keyof typeof RULES_COMMANDS): Run => async (words) => {
  const { onTerminal, RULES_COMMANDS: commands } = await import('./rules-commands.ts');
  return onTerminal(commands[name])(words);
};

/**
 * Names, what they do, and the function that does it; each returns the exit code. A command loads its own part of the
 * program: the rules engine takes 0.2 s, the service 0.4 s, and neither needs the other here.
 */
const COMMANDS = {
  serve: { does: 'run the service until it is stopped', run: async (...call) => (await import('./serve.ts')).serve(...call) },
  check: { does: 'check the site file and its rule files without starting: planner check [SITE_FILE]', run: async (...call) => (await import('./check.ts')).check(...call) },
  demo: { does: 'start a service, ask it the question of the specification, and follow the job', run: async (...call) => (await import('./demo.ts')).demo(...call) },
  lint: {
    does: 'check rule files: planner lint [-v] [--ignore CODES] [--format text|json|sarif] FILE...',
    run: onRules('lint'),
  },
  format: { does: 'print a rule file in order: planner format FILE', run: onRules('format') },
  dump: {
    does: 'print the merged rules: planner dump [--job-conf F] [--output-format text|yaml] FILE...',
    run: onRules('dump'),
  },
  'dry-run': {
    does: 'where a job would go: planner dry-run [--tool ID] [--user EMAIL] [--explain] FILE...',
    run: onRules('dry-run'),
  },
  'why-not': {
    does: 'why a job does not go to a destination: planner why-not --destination D [--tool ID] FILE...',
    run: onRules('why-not'),
  },
  diff: {
    does: 'which recorded jobs go elsewhere under new rules: planner diff OLD NEW --jobs JOBS',
    run: onRules('diff'),
  },
  'hash-password': {
    does: 'print a line of the password file: planner hash-password USER [ROLE...]',
    run: async (words) => (await import('./hash-password.ts')).hashPasswordCommand(words),
  },
} as const satisfies Record<string, { readonly does: string; readonly run: Run }>;

const usage = (): string =>
  [
    'usage: planner COMMAND',
    ...Object.entries(COMMANDS).map(([name, { does }]) => `  ${name.padEnd(14)}${does}`),
    'Settings are environment variables; docs/operations.md lists them.',
  ].join('\n');

// Who reads our output may leave (`planner demo | head`); the work goes on and everything is stopped in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const version = async (): Promise<string> => {
  const { version: own }: { readonly version?: unknown } = Object(JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')));
  return String(own);
};

const [name, words] = nameAndWords(process.argv.slice(2));
const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
if (name === '--version') {
  console.log(await version());
} else if (command === undefined) {
  const asked = name === '' || name === 'help' || name === '--help' || name === '-h';
  (asked ? console.log : console.error)(asked ? usage() : `planner: there is no command '${name}'\n${usage()}`);
  process.exitCode = asked ? 0 : 2;
} else {
  process.exitCode = await command.run(words, process.env);
}
