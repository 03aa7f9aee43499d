import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { childProgram } from '../../src/sandbox/program.ts';
import { Enclosing } from '../../src/sandbox/enclosure/enclosing.ts';
import { DecisionQueue } from '../../src/sandbox/queue.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { until } from '../cli/service-process.ts';
import { differentJobs } from '../bench/vortex/jobs.ts';
import { growingJobs, growingSite } from '../bench/vortex/growth.ts';
import { jobOf } from '../vortex/job.ts';

/**
 * In place of the engine: rules that know when they were loaded, and a state
 * that only `finally` puts right.
 */
const GUEST = `
  let loadedAt = 0;
  let inside = 0;
  const run = {
    loadedAt: () => loadedAt,
    inside: () => inside,
    endless: () => { for (;;); },
    greedy: () => { const all = []; for (;;) all.push(new Array(10_000).fill(0)); },
  };
  export function load() { loadedAt = Date.now(); return '{"ok":true}'; }
  export function decide(what) {
    inside += 1;
    try { return String(run[what]() - (what === 'inside' ? 1 : 0)); } finally { inside -= 1; }
  }
`;
/**
 * The limit is early, and whatever a busy machine does to the child, it is not killed from outside.
 */
const LIMITS = { memoryMb: 32, decisionMs: 1_000, loadMs: 30_000, spare: true };
const GRACE_MS = 60_000;

function askOf(queue: DecisionQueue) {
  return async (about: string): Promise<string> => {
    const answer = await queue.ask({ kind: 'decide', about, job: '' });
    return answer.kind === 'answer' ? answer.answer : answer.code;
  };
}

describe('a decision that is cut off costs nobody else anything:', () => {
  let queue: DecisionQueue;
  beforeAll(async () => {
    queue = new DecisionQueue(
      { main: childProgram().main, modules: [{ name: 'guest.js', code: GUEST, imports: {} }] },
      'enclosed',
      LIMITS,
      GRACE_MS,
    );
    await queue.ask({ kind: 'load', request: '' });
  });
  afterAll(() => queue.close());
  const ask = (about: string): Promise<string> => askOf(queue)(about);
  const spare = (): Promise<true> =>
    until('the spare is loaded', async () => queue.stats().hasSpare || undefined);

  test.each([
    // A busy machine may not let it take all memory in its time.
    ['endless', /^rule-timeout$/],
    ['greedy', /^rule-(?:memory|timeout)$/],
    ['endless', /^rule-timeout$/],
  ])(
    'those that wait behind one that is %s are answered by rules that were loaded before it started',
    async (about, codes) => {
      await spare();
      const before = Date.now();
      const [cut, ...others] = await Promise.all(
        [about, 'loadedAt', 'loadedAt', 'loadedAt'].map(ask),
      );
      expect(cut).toMatch(codes);
      expect(new Set(others).size).toBe(1);
      expect(Number(others[0])).toBeLessThanOrEqual(before);
    },
  );

  test('no later decision sees its half-done changes, nor those of two in a row', async () => {
    await spare();
    expect(
      await Promise.all(['endless', 'inside', 'endless', 'endless', 'inside'].map(ask)),
    ).toEqual(['rule-timeout', '0', 'rule-timeout', 'rule-timeout', '0']);
  });

  test('the child is still the first one', () => {
    expect(queue.stats()).toMatchObject({ respawns: 0, waiting: 0 });
  });
});

describe('the rules of a site, once a decision was cut off,', () => {
  /** A tool whose pattern never ends for a long row of the letter a. */
  const sources = [growingSite(20, 50), { name: 'endless.yml', text: 'tools:\n  (a+)+b: {}\n' }];
  const circumstances = { seed: 1, now: 0 };
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = openSandbox({ decisionMs: 1_000, loadMs: 30_000, spare: true });
    await sandbox.load(sources);
  });
  afterAll(() => sandbox.close());

  test('decide as if it had not happened', async () => {
    const jobs = [...growingJobs(50).slice(0, 20), ...differentJobs(20)];
    const decide = () => Promise.all(jobs.map((job) => sandbox.map(job, circumstances)));
    const before = await decide();
    expect(new Set(before.map(({ kind }) => kind))).toContain('destination');
    await until('the spare is loaded', async () => sandbox.stats().hasSpare || undefined);
    const [cut, after] = await Promise.all([
      sandbox.map(jobOf('a'.repeat(200)), circumstances),
      decide(),
    ]);
    expect(cut).toMatchObject({ code: 'rule-timeout' });
    expect(after).toEqual(before);
  });

  test('are the ones in force: an outdated spare is never used', async () => {
    const other = sources.map(({ name, text }) => ({
      name,
      text: text.replace('cores: 2\n', 'cores: 3\n'),
    }));
    // The spare of the rules before is still being made, and that of those after too.
    expect(await sandbox.load(sources)).toMatchObject({ kind: 'loaded' });
    expect(await sandbox.load(other)).toMatchObject({ kind: 'loaded' });
    const [, after] = await Promise.all([
      sandbox.map(jobOf('a'.repeat(200)), circumstances),
      sandbox.map(jobOf('x'), circumstances),
    ]);
    expect(after).toMatchObject({
      kind: 'destination',
      chosen: { resources: { cores: { value: 3 } } },
    });
  });
});

/** In place of the child's own program: answers with what it was asked, or dies of it. */
const MORTAL = `
  process.on('message', ({ kind, id, about }) => {
    if (kind === 'start') process.send({ kind: 'ready', hasSpare: false });
    else if (about === 'deadly') process.kill(process.pid, 'SIGKILL');
    else process.send({ kind: 'answered', id, answer: about, milliseconds: 0 });
  });
`;

describe('a question that kills the whole child', () => {
  const open = (main: string): DecisionQueue =>
    new DecisionQueue({ main, modules: [] }, 'enclosed', LIMITS, GRACE_MS);

  test('costs no other question its answer, however many come in a row', async () => {
    const queue = open(MORTAL);
    const asked = ['deadly', 'deadly', 'deadly', 'deadly', 'one', 'deadly', 'two', 'three'];
    const answers = await Promise.all(asked.map(askOf(queue)));
    expect(answers).toEqual(asked.map((about) => (about === 'deadly' ? 'sandbox-crashed' : about)));
    expect(queue.stats()).toMatchObject({ failures: 5, respawns: 5 });
    await queue.close();
  });

  test('is one that the child worked on: a child that dies before it is ready costs none', async () => {
    // Not enclosed, so that there is a process at once.
    const none = new Enclosing({ wish: 'none' });
    const queue = new DecisionQueue(
      { main: MORTAL, modules: [] },
      'enclosed',
      LIMITS,
      GRACE_MS,
      none,
    );
    const pid = queue.pid();
    if (pid === null) throw new Error('there is no child');
    const answers = Promise.all(['one', 'two'].map(askOf(queue)));
    // Nothing that it says can have been read yet.
    process.kill(pid, 'SIGKILL');
    expect(await answers).toEqual(['one', 'two']);
    await queue.close();
  });

  test('is refused, not kept for ever, when no child becomes ready', async () => {
    const queue = open('process.exit(3)');
    expect(await Promise.all(['one', 'two'].map(askOf(queue)))).toEqual([
      'sandbox-crashed',
      'sandbox-crashed',
    ]);
    expect(await askOf(queue)('three')).toBe('sandbox-crashed');
    await queue.close();
  });
});
