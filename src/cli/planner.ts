import { readFile } from 'node:fs/promises';
import { guarded, type Command } from './guarded.ts';
import { ownTerminal } from './terminal.ts';
import type { CommandName } from './usage.ts';
import { nameAndWords } from './words.ts';

/**
 * Each command loads only its own part of the program: the rules engine takes 0.2 s, the service
 * 0.4 s.
 */
const COMMANDS: Record<
  CommandName,
  { readonly does: string; readonly load: () => Promise<Command> }
> = {
  serve: {
    does: 'run the service until it is stopped',
    load: async () => (await import('./serve.ts')).serve,
  },
  check: {
    does: 'check the site file, its rule files and this machine without starting',
    load: async () => (await import('./check.ts')).check,
  },
  demo: {
    does: 'start a service, ask it the question of the specification, follow the job',
    load: async () => (await import('./demo.ts')).demo,
  },
  backup: {
    does: 'write the database and results into a file, while the service runs',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    does: 'fill an empty database and folder from a backup',
    load: async () => (await import('./restore.ts')).restore,
  },
  lint: {
    does: 'check rule files',
    load: async () => (await import('./rules/commands.ts')).RULES_COMMANDS.lint,
  },
  format: {
    does: "print a rule file in TPV's order",
    load: async () => (await import('./rules/commands.ts')).RULES_COMMANDS.format,
  },
  dump: {
    does: 'print the merged rules',
    load: async () => (await import('./rules/commands.ts')).RULES_COMMANDS.dump,
  },
  'dry-run': {
    does: 'print where a job would go',
    load: async () => (await import('./rules/commands.ts')).RULES_COMMANDS['dry-run'],
  },
  'why-not': {
    does: 'print why a job does not go to a destination',
    load: async () => (await import('./rules/commands.ts')).RULES_COMMANDS['why-not'],
  },
  diff: {
    does: 'print which recorded jobs go elsewhere under new rules',
    load: async () => (await import('./rules/commands.ts')).RULES_COMMANDS.diff,
  },
  'hash-password': {
    does: 'print a line of the password file',
    load: async () => (await import('./hash-password.ts')).hashPasswordCommand,
  },
  'new-plugin': {
    does: 'write a plug-in with an engine and its test, to begin with',
    load: async () => (await import('./new-plugin.ts')).newPlugin,
  },
  setup: {
    does: 'make a Python environment for notebooks',
    load: async () => (await import('./setup/command.ts')).setup,
  },
  completion: {
    does: 'print the completion of a shell',
    load: async () => (await import('./completion.ts')).completion,
  },
};

/** Some of the output could not be written. */
let isLost = false;
// The reader of our output may leave (`planner demo | head`), and its disc may be full; the work
// continues and everything is stopped properly.
process.stderr.on('error', () => undefined);
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isLost) return;
  isLost = true;
  console.error(`planner: the output cannot be written: ${message}`);
});

const [name, words] = nameAndWords(process.argv.slice(2));
if (name === '--version') {
  console.log(await version());
} else if (!isCommand(name)) {
  const asked = name === '' || name === 'help' || name === '--help' || name === '-h';
  (asked ? console.log : console.error)(
    asked ? usage() : `planner: there is no command '${name}'\n${usage()}`,
  );
  process.exitCode = asked ? 0 : 2;
} else {
  const run = guarded(name, async (...call) => (await COMMANDS[name].load())(...call));
  const exitCode = await run(words, ownTerminal);
  process.exitCode = isLost ? exitCode || 1 : exitCode;
}

function usage(): string {
  return [
    'usage: planner COMMAND',
    ...Object.entries(COMMANDS).map(([name, { does }]) => `  ${name.padEnd(14)}${does}`),
    'planner COMMAND --help lists its arguments; settings are environment variables (docs/reference/settings.md).',
    'Exit codes: 0 success, 1 failure, 2 wrong arguments.',
  ].join('\n');
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

async function version(): Promise<string> {
  const { version: own }: { readonly version?: unknown } = Object(
    JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')),
  );
  return String(own);
}
