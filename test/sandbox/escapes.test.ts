import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { jobOf } from '../vortex/job.ts';
import { outcomeOf, rulesOf, tables } from './escapes/attempts.ts';

/** The decision of a rule that does nothing wrong: whatever was tried before, it stays the same. */
function innocent(sandbox: Sandbox): Promise<unknown> {
  return sandbox.map(jobOf('innocent'), { seed: 1, now: 0 });
}

describe.each(tables)('a rule that attempts an escape, table %s,', (table, attempts) => {
  // What uses too much of everything comes to the limit of time first on a busy machine, or is
  // ended from outside with the process.
  const late = table === 'exhaustion' ? ['rule-timeout', 'sandbox-crashed'] : [];
  let sandbox: Sandbox;
  let usual: unknown;
  beforeAll(async () => {
    // More than the usual 200 ms: on a busy machine the limit of steps
    // has to come first where it can.
    sandbox = openSandbox({ decisionMs: table === 'exhaustion' ? 600 : 10_000, loadMs: 60_000 });
    await sandbox.load([{ name: 'attempts.yml', text: rulesOf(attempts) }]);
    usual = await innocent(sandbox);
  });
  afterAll(() => sandbox.close());

  test('(the harmless rule gets its destination)', () => {
    expect(usual).toMatchObject({
      kind: 'destination',
      chosen: { params: { p: 'innocent' }, resources: { mem: { value: 8 } } },
    });
  });

  test.each(attempts.map((attempt, index) => ({ ...attempt, index })))(
    '$name',
    async ({ expect: expected, index }) => {
      const pid = sandbox.pid();
      const outcome = await outcomeOf(sandbox, index);
      expect([expected, ...expected.split('|'), ...late]).toContain(outcome);
      expect(await innocent(sandbox)).toEqual(usual);
      expect(sandbox.pid() === pid).toBe(outcome !== 'sandbox-crashed');
    },
  );
});

describe('the corpus of escape attempts', () => {
  test('has at least 300, each with a name of its own', () => {
    const names = tables.flatMap(([, attempts]) => attempts.map(({ name }) => name));
    expect(names.length).toBeGreaterThanOrEqual(300);
    expect(new Set(names).size).toBe(names.length);
  });
});
