import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KnownAnswers } from '../../src/sandbox/remembered.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { JobDescription } from '../../src/vortex/index.ts';
import { jobOf } from '../vortex/job.ts';

const RULES = `
tools:
  user: { cores: "len(user.email)" }
  clock: { rules: [{ if: true, execute: "import time\\nentity.cores = int(time.time())" }] }
  random: { rules: [{ if: true, execute: "import random\\nentity.cores = random.random()" }] }
  id: { cores: "id(object())" }
  hash: { cores: "hash(object())" }
  steps: { cores: "len([i for i in range(10**7)])" }
destinations:
  here: { runner: local }
`;
const PATIENT = { decisionMs: 10_000, loadMs: 60_000 };

function ofUser(tool: string, email: string): JobDescription {
  return jobOf(tool, { user: { email } });
}

describe('a weighing that the job and the rules alone decide', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = openSandbox(PATIENT);
    const report = await sandbox.load([{ name: 'rules.yml', text: RULES }]);
    if (report.kind !== 'loaded') throw new Error(`the rules do not load: ${report.kind}`);
  });
  afterAll(() => sandbox.close());

  /** The cores that the rules ask for, and whether the child was not asked for them. */
  async function cores(tool: string, email = 'a@b', now = 1_000): Promise<unknown> {
    const answer = await sandbox.weigh(ofUser(tool, email), { seed: now, now });
    if (answer.kind !== 'considered') throw new Error(`no answer: ${JSON.stringify(answer)}`);
    return answer.sought?.asked.cores;
  }

  /** Answers while the child is stopped. */
  async function withoutChild<T>(ask: () => Promise<T>): Promise<T> {
    const pid = sandbox.pid();
    if (pid === null) throw new Error('there is no child');
    process.kill(pid, 'SIGSTOP');
    try {
      return await ask();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  }

  test('is made once, for every seed and time, and counts as a decision each time', async () => {
    expect(await cores('user')).toBe(3);
    const { decisions } = sandbox.stats();
    expect(await withoutChild(() => cores('user', 'a@b', 2_000))).toBe(3);
    expect(sandbox.stats().decisions).toBe(decisions + 1);
  });

  test('is never that of another user', async () => {
    expect(await cores('user', 'a@b')).toBe(3);
    expect(await cores('user', 'longer@b')).toBe(8);
    expect(await withoutChild(() => cores('user', 'a@b'))).toBe(3);
  });

  test('is made anew by other rules', async () => {
    expect(await cores('user', 'four')).toBe(4);
    const text = RULES.replace('len(user.email)', '2 * len(user.email)');
    expect(await sandbox.load([{ name: 'rules.yml', text }])).toMatchObject({ kind: 'loaded' });
    expect(await cores('user', 'four')).toBe(8);
  });

  test('names the rules that gave it, though the answers of a load and of it come at once', async () => {
    const text = RULES.replace('here:', 'there:');
    const { digest } = sandbox.stats();
    const weighing = sandbox.weigh(ofUser('user', 'fifth'));
    const loading = sandbox.load([{ name: 'rules.yml', text }]);
    await new Promise(setImmediate);
    // This process reads nothing while the child answers both.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    const answer = await weighing;
    if (answer.kind !== 'considered') throw new Error(`no answer: ${JSON.stringify(answer)}`);
    expect(answer.candidates.map(({ destination }) => destination)).toEqual(['here']);
    expect(answer.rules.digest).toBe(digest);
    expect(await loading).toMatchObject({ kind: 'loaded' });
  });

  test('reads no clock: one that does has another answer at another time', async () => {
    expect(await cores('clock', 'a@b', 5_000)).toBe(5);
    expect(await cores('clock', 'a@b', 9_000)).toBe(9);
  });

  test('draws no number: one that does has another answer with another seed', async () => {
    expect(await cores('random', 'a@b', 1)).not.toBe(await cores('random', 'a@b', 2));
  });

  test.each(['id', 'hash'])(
    'sees no number of an object: one with %s() is made anew',
    async (tool) => {
      expect(await cores(tool)).not.toBe(await cores(tool));
    },
  );

  test('did not run out of steps: such a one is made, and counted, each time', async () => {
    const job = ofUser('steps', 'a@b');
    const { outOfSteps } = sandbox.stats();
    expect(await sandbox.weigh(job)).toMatchObject({ kind: 'stopped' });
    expect(await sandbox.weigh(job)).toMatchObject({ kind: 'stopped' });
    expect(sandbox.stats().outOfSteps).toBe(outOfSteps + 2);
  });

  test('a closed sandbox gives no answers', async () => {
    const closed = openSandbox(PATIENT);
    await closed.load([{ name: 'rules.yml', text: RULES }]);
    await closed.weigh(ofUser('user', 'a@b'));
    await closed.close();
    expect(await closed.weigh(ofUser('user', 'a@b'))).toMatchObject({ code: 'sandbox-closed' });
  });
});

test('what is remembered is bounded in characters, and the longest unasked goes first', () => {
  const memory = new KnownAnswers<string>(30);
  memory.keep('a', 'A', 9);
  memory.keep('b', 'B', 9);
  memory.keep('c', 'C', 9);
  expect(memory.get('a')).toBe('A');
  memory.keep('d', 'D', 9);
  expect(['a', 'b', 'c', 'd'].map((key) => memory.get(key))).toEqual(['A', undefined, 'C', 'D']);
  memory.keep('huge', 'H', 31);
  expect(['a', 'huge'].map((key) => memory.get(key))).toEqual(['A', undefined]);
});
