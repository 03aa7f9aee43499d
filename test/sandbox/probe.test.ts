import { afterAll, describe, expect, test } from '@jest/globals';
import { probeSandbox } from '../../src/sandbox/probe.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import { until } from '../cli/service-process.ts';

const RULES = {
  name: 'rules.yml',
  text:
    'tools: {default: {cores: "1 + 1"}}\nglobal: {default_inherits: default}\n' +
    'destinations: {local: {runner: process}}\n',
};

describe('a check of the sandbox', () => {
  const sandbox = openSandbox();
  afterAll(() => sandbox.close());

  test('says what is wrong before there are rules, and nothing once they are loaded', async () => {
    expect(await probeSandbox(sandbox)).toBe('no rules are loaded');
    expect(await sandbox.load([RULES])).toMatchObject({ kind: 'loaded' });
    expect(await probeSandbox(sandbox)).toBeUndefined();
  });

  test('asks the child itself: a frozen one does not answer, and the next one does', async () => {
    const pid = sandbox.pid();
    if (pid === null) throw new Error('the sandbox has no process');
    process.kill(pid, 'SIGSTOP');
    expect(await probeSandbox(sandbox)).toBe('does not answer');
    await until(
      'another child answers',
      async () => (await probeSandbox(sandbox)) === undefined || undefined,
    );
    expect(sandbox.pid()).not.toBe(pid);
  });

  test('reports a closed sandbox, and no fault for rules that never end', async () => {
    const other = openSandbox();
    await other.load([
      {
        ...RULES,
        text: RULES.text.replace('1 + 1', 'max(a * b for a in range(10**9) for b in range(10**9))'),
      },
    ]);
    expect(await probeSandbox(other)).toBeUndefined();
    await other.close();
    expect(await probeSandbox(other)).toBe('does not answer');
  });
});
