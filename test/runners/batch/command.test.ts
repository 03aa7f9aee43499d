import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { runCommand } from '../../../src/runners/batch/command.ts';
import { BatchRefusal, BatchUnreachable } from '../../../src/runners/batch/system.ts';

test.each([
  ['no', 'echo no >&2; exit 1', new BatchRefusal('no')],
  ['that nobody is there', 'echo nobody there; exit 1', new BatchUnreachable('nobody there')],
])('a command that says %s is taken at its word', async (_what, script, error) => {
  expect(await sh(script)).toEqual(error);
});

test('a command that somebody kills has brought no answer, whatever it said before', async () => {
  expect(await sh('echo no >&2; kill -9 $$')).toEqual(
    new BatchUnreachable('/bin/sh was ended by SIGKILL'),
  );
});

test('a command that cannot begin, since this machine lacks open files, has brought no answer', async () => {
  const command = new URL('../../../src/runners/batch/command.ts', import.meta.url);
  const script = `
    import { openSync, writeSync } from 'node:fs';
    import { runCommand } from ${JSON.stringify(command)};
    try {
      for (;;) openSync('/dev/null');
    } catch {}
    runCommand({ program: '/bin/sh', words: [], environment: {}, nobody: /x/ }).catch(
      ({ name, message }) => writeSync(1, name + ': ' + message),
    );`;
  const { stdout } = await promisify(execFile)('/bin/sh', [
    '-c',
    'ulimit -n 200; exec "$@"',
    'sh',
    process.execPath,
    '--no-warnings',
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(stdout).toBe('BatchUnreachable: spawn /bin/sh EMFILE');
});

/** The error of a command that is a script of sh. */
function sh(script: string): Promise<unknown> {
  return runCommand({
    program: '/bin/sh',
    words: ['-c', script],
    environment: {},
    nobody: /nobody there/,
  }).catch((error: unknown) => error);
}
