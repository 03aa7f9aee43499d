import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { jobOf } from '../vortex/job.ts';

const RULES = `
tools:
  default: {cores: 2, mem: cores * 4}
  loop: {cores: "max(a * b for a in range(10**9) for b in range(10**9))"}
  big: {cores: "len(['x' * 100000 + str(i) for i in range(10**6)])"}
  secret: {params: {p: '{job.constructor}'}}
  random:
    params: {p: '{helpers.weighted_random_sampling(mapper.destinations.values())[0].id}'}
global: {default_inherits: default}
destinations:
  local: {runner: process, max_accepted_cores: 8}
`;

const source = { name: 'rules.yml', text: RULES };
const open = new Set<Sandbox>();

/** Decisions of a busy machine take longer than the usual 200 ms. */
const PATIENT = { decisionMs: 2_000, loadMs: 60_000 };

/** A sandbox with the rules loaded. */
async function loaded(options = {}): Promise<Sandbox> {
  const sandbox = openSandbox({ ...PATIENT, ...options });
  open.add(sandbox);
  expect(await sandbox.load([source])).toMatchObject({ kind: 'loaded' });
  return sandbox;
}

afterAll(() => Promise.all([...open].map((sandbox) => sandbox.close())));

/** The process of a sandbox, which has one. */
function pidOf(sandbox: Sandbox): number {
  const pid = sandbox.pid();
  if (pid === null) throw new Error('the sandbox has no process');
  return pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('rules run in a process of their own', () => {
  test('a decision made there is the one that the engine makes', async () => {
    const sandbox = await loaded();
    expect(pidOf(sandbox)).not.toBe(process.pid);
    expect(await sandbox.consider(jobOf('x'))).toMatchObject({
      kind: 'considered',
      candidates: [
        {
          kind: 'evaluated',
          destination: 'local',
          resources: { cores: { value: 2 }, mem: { value: 8 } },
        },
      ],
    });
    expect(await sandbox.map(jobOf('x'))).toMatchObject({
      kind: 'destination',
      chosen: { destination: 'local' },
    });
  });

  test('a decision without an explanation is the same, but for its trace', async () => {
    const sandbox = await loaded();
    const circumstances = { seed: 1, now: 0 };
    const told = await sandbox.map(jobOf('x'), circumstances);
    expect(told).toMatchObject({ trace: [{ step: 'tool-matched' }, {}, {}, {}, {}, {}, {}, {}] });
    expect(await sandbox.map(jobOf('x'), circumstances, false)).toEqual({ ...told, trace: [] });
  });

  test('loading reports what the rules contain and how long it took', async () => {
    const sandbox = await loaded();
    const report = await sandbox.load([source]);
    expect(report).toMatchObject({
      kind: 'loaded',
      rules: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), destinations: [{ id: 'local' }] },
      warnings: [],
    });
    expect(sandbox.stats().digest).toBe(report.kind === 'loaded' ? report.rules.digest : '');
  });

  test('nothing is decided before rules are loaded', async () => {
    const sandbox = openSandbox();
    open.add(sandbox);
    expect(await sandbox.consider(jobOf('x'))).toEqual({
      kind: 'sandbox',
      code: 'no-rules',
      message: 'no rules are loaded',
    });
  });

  test('rules that cannot be loaded leave the ones before in force', async () => {
    const sandbox = await loaded();
    const { digest } = sandbox.stats();
    expect(await sandbox.load([{ name: 'bad.yml', text: 'tools: [' }])).toMatchObject({
      kind: 'refused',
      problems: [{ file: 'bad.yml', line: 1 }],
      keeping: digest,
    });
    expect(await sandbox.consider(jobOf('x'))).toMatchObject({ kind: 'considered' });
  });

  test('a description that is no job is refused before rules see it', async () => {
    const sandbox = await loaded();
    expect(await sandbox.map(jobOf('x'.repeat(1_001)))).toEqual({
      kind: 'sandbox',
      code: 'bad-job',
      message: 'job.tool.id must be a string of at most 1000 characters',
    });
  });

  test('the same seed gives the same decision', async () => {
    const sandbox = await loaded();
    const circumstances = { seed: 7, now: 0 };
    expect(await sandbox.map(jobOf('random'), circumstances)).toEqual(
      await sandbox.map(jobOf('random'), circumstances),
    );
  });

  test('many questions at once are all answered', async () => {
    const sandbox = await loaded();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => sandbox.map(jobOf(`tool${index}`))),
    );
    expect(answers.every(({ kind }) => kind === 'destination')).toBe(true);
    expect(sandbox.stats()).toMatchObject({ decisions: 200, failures: 0, respawns: 0, waiting: 0 });
  });
});

describe('rules that misbehave', () => {
  test('a rule that loops ends in an error for its decision, and the next decision works', async () => {
    const sandbox = await loaded();
    const [looping, next] = await Promise.all([
      sandbox.consider(jobOf('loop')),
      sandbox.consider(jobOf('x')),
    ]);
    expect(looping.kind === 'sandbox' ? looping.code : looping.kind).toMatch(
      /^(?:rule-timeout|stopped)$/,
    );
    expect(next).toMatchObject({ kind: 'considered' });
  });

  test('a rule that takes all memory ends in an error for its decision, and the next decision works', async () => {
    const sandbox = await loaded({ memoryMb: 32 });
    const [greedy, next] = await Promise.all([
      sandbox.consider(jobOf('big')),
      sandbox.consider(jobOf('x')),
    ]);
    expect(greedy.kind === 'sandbox' ? greedy.code : greedy.kind).toMatch(
      /^(?:rule-memory|rule-timeout|sandbox-crashed|stopped)$/,
    );
    expect(next).toMatchObject({ kind: 'considered' });
  });

  test('a pattern that backtracks without end is stopped too', async () => {
    const sandbox = await loaded();
    await sandbox.load([{ name: 'r', text: 'tools:\n  (a+)+b: {}\n' }]);
    const [stuck, next] = await Promise.all([
      sandbox.consider(jobOf('a'.repeat(200))),
      sandbox.consider(jobOf('x')),
    ]);
    expect(stuck).toEqual({
      kind: 'sandbox',
      code: 'rule-timeout',
      message: 'the rules took more than 2000 ms',
    });
    expect(next).toMatchObject({ kind: 'considered' });
  });

  test('JavaScript is out of reach', async () => {
    const sandbox = await loaded();
    expect(await sandbox.map(jobOf('secret'))).toMatchObject({
      kind: 'error',
      className: 'AttributeError',
    });
  });
});

describe('when the process', () => {
  test('dies between decisions, the next one is answered by another process with the same rules', async () => {
    const sandbox = await loaded();
    const before = pidOf(sandbox);
    process.kill(before, 'SIGKILL');
    // A question may reach the process in its last moment; then it fails, and is not asked twice.
    const first = await sandbox.consider(jobOf('x'));
    expect(first.kind === 'sandbox' ? first.code : 'sandbox-crashed').toBe('sandbox-crashed');
    expect(await sandbox.consider(jobOf('x'))).toMatchObject({ kind: 'considered' });
    expect(pidOf(sandbox)).not.toBe(before);
    expect(sandbox.stats().respawns).toBe(1);
  });

  test('dies during decisions, the current one fails, those behind it are answered', async () => {
    const sandbox = await loaded();
    const pid = pidOf(sandbox);
    // Otherwise it may answer all of them first.
    process.kill(pid, 'SIGSTOP');
    const asked = Array.from({ length: 20 }, (_, index) => sandbox.map(jobOf(`tool${index}`)));
    process.kill(pid, 'SIGKILL');
    const answers = await Promise.all(asked);
    const failed = answers.filter((answer) => answer.kind === 'sandbox');
    expect(failed).toEqual([
      {
        kind: 'sandbox',
        code: 'sandbox-crashed',
        message: 'the sandbox process ended with SIGKILL',
      },
    ]);
    expect(answers.filter(({ kind }) => kind === 'destination')).toHaveLength(19);
  });

  test('stops answering, it is killed, and the next decision is made by another process', async () => {
    const sandbox = await loaded();
    process.kill(pidOf(sandbox), 'SIGSTOP');
    const [stuck, next] = await Promise.all([
      sandbox.consider(jobOf('x')),
      sandbox.consider(jobOf('x')),
    ]);
    expect(stuck).toEqual({
      kind: 'sandbox',
      code: 'sandbox-crashed',
      message: 'the sandbox process ended with SIGKILL',
    });
    expect(next).toMatchObject({ kind: 'considered' });
  });

  test('has answered while the planner had no time to read, it is not killed for that', async () => {
    const sandbox = await loaded();
    const pid = pidOf(sandbox);
    const decision = sandbox.consider(jobOf('x'));
    // Longer than the limit of a decision and its grace together.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
    expect(await decision).toMatchObject({ kind: 'considered' });
    expect(await sandbox.consider(jobOf('x'))).toMatchObject({ kind: 'considered' });
    expect([pidOf(sandbox), sandbox.stats().respawns]).toEqual([pid, 0]);
  });

  test('outlives the planner that started it, it ends', async () => {
    const { href } = new URL('../../src/sandbox/sandbox.ts', import.meta.url);
    const script = `
      const { openSandbox } = await import(${JSON.stringify(href)});
      const sandbox = openSandbox();
      await sandbox.load([{ name: 'r', text: 'tools: {}' }]);
      console.log(sandbox.pid());
    `;
    const planner = spawn(
      process.execPath,
      ['--no-warnings', '--input-type=module', '--eval', script],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await once(createInterface(planner.stdout), 'line');
    const pid = Number(line);
    planner.kill('SIGKILL');
    while (isAlive(pid)) await setTimeout(20);
    expect(isAlive(pid)).toBe(false);
  });

  test('a closed sandbox answers, and says that it is closed', async () => {
    const sandbox = await loaded();
    const pid = pidOf(sandbox);
    const asked = sandbox.consider(jobOf('x'));
    await Promise.all([sandbox.close(), sandbox.close()]);
    expect(await asked).toMatchObject({ kind: 'sandbox', code: 'sandbox-closed' });
    expect(await sandbox.consider(jobOf('x'))).toMatchObject({ code: 'sandbox-closed' });
    expect(isAlive(pid)).toBe(false);
  });
});
