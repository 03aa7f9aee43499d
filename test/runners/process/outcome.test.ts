import { describe, expect, test } from '@jest/globals';
import type { Outcome } from '../../../src/runners/port.ts';
import {
  describeExit,
  outcomeOf,
  parseOutcome,
  parseStop,
  type ProcessEnding,
} from '../../../src/runners/run/outcome.ts';
import { parseFailure } from '../../../src/runners/run/failure.ts';
import { parseRecord } from '../../../src/runners/run/record.ts';
import { parseStatus } from '../../../src/runners/process/supervise/status.ts';
import { mebibytes, millicores, seconds } from '../../../src/words/units.ts';

const boot = '385fad21-30c8-4773-9f6a-dd9220c13fdc';
const limits = {
  cores: millicores(1000),
  memory: mebibytes(100),
  scratch: mebibytes(10),
  wallTime: seconds(60),
};
const ending: ProcessEnding = {
  limits,
  exit: 1,
  timedOut: false,
  stop: undefined,
  failure: undefined,
  stderr: 'tail',
  results: [],
};

describe('the status file', () => {
  test('says who the script is, that time was over, and how the job ended', () => {
    const started = { pid: 77, startTicks: 123, boot };
    expect(parseStatus(`start 77 123 ${boot}\n`)).toEqual({
      started,
      timedOut: false,
      isUnheld: false,
      outOfMemory: false,
      exit: undefined,
    });
    expect(parseStatus(`start 77 123 ${boot}\nstopped wall-time\nexit 143\n`)).toEqual({
      started,
      timedOut: true,
      isUnheld: false,
      outOfMemory: false,
      exit: 143,
    });
    expect(parseStatus(`start 77 123 ${boot}\nkilled memory\nexit 137\n`)).toEqual({
      started,
      timedOut: false,
      isUnheld: false,
      outOfMemory: true,
      exit: 137,
    });
  });

  test.each([
    '',
    'start 77',
    `start 77 123 ${boot}`,
    'exit 0',
    'exit \n',
    'exit 0x1\n',
    'exit -1\n',
    'exit 1234\n',
  ])('ignores %j', (text) => {
    expect(parseStatus(text)).toEqual({
      started: undefined,
      timedOut: false,
      isUnheld: false,
      outOfMemory: false,
      exit: undefined,
    });
  });
});

describe('the outcome of a run', () => {
  test.each<[Partial<ProcessEnding>, Partial<Outcome>]>([
    [{ exit: 0 }, { kind: 'completed' }],
    [{ exit: 0, stop: { reason: 'cancelled', message: 'm' } }, { kind: 'completed' }],
    [
      { exit: 143, stop: { reason: 'memory', message: 'm' } },
      { kind: 'stopped', reason: 'memory', message: 'm' },
    ],
    [
      { exit: 143, timedOut: true },
      { kind: 'stopped', reason: 'wall-time' },
    ],
    [
      { exit: 137, outOfMemory: true },
      {
        kind: 'stopped',
        reason: 'memory',
        message: 'stopped: it needed more memory than the 100 MiB that were offered',
      },
    ],
    [{ exit: 0, outOfMemory: true }, { kind: 'completed' }],
    // It was told to end, and did so without a fault.
    [
      { exit: 0, timedOut: true },
      { kind: 'stopped', reason: 'wall-time' },
    ],
    [
      { exit: 0, stop: { reason: 'output', message: 'm' } },
      { kind: 'stopped', reason: 'output' },
    ],
    [{ exit: 152 }, { kind: 'stopped', reason: 'cpu-time' }],
    [{ exit: 153 }, { kind: 'stopped', reason: 'output' }],
    [
      { exit: 139 },
      {
        kind: 'failed',
        code: 'task-failed',
        message: 'the task ended with signal SIGSEGV',
        detail: 'tail',
      },
    ],
    [{ exit: undefined }, { kind: 'failed', code: 'run-lost', transient: true }],
    [
      { exit: undefined, stop: { reason: 'cancelled', message: 'm' } },
      { kind: 'stopped', reason: 'cancelled' },
    ],
    [
      { failure: { code: 'notebook-cell-failed', message: 'cell 1: E', detail: 'd' } },
      { kind: 'failed', message: 'cell 1: E', detail: 'd' },
    ],
  ])('%j', (change, outcome) => {
    expect(outcomeOf({ ...ending, ...change })).toMatchObject(outcome);
  });

  test('is the same after it was written and read', () => {
    const results = [{ id: 'a', path: 'work/a', mimeType: 'text/plain', size: 1 }];
    for (const change of [{ exit: 0 }, { exit: 3 }, { exit: undefined }, { timedOut: true }]) {
      const outcome = outcomeOf({ ...ending, ...change, results });
      expect(parseOutcome(JSON.parse(JSON.stringify(outcome)))).toEqual(outcome);
    }
  });

  test.each([
    null,
    [],
    {},
    { kind: 'completed' },
    { kind: 'stopped', results: [] },
    { kind: 'failed', results: [] },
    { kind: 'x', results: [] },
  ])('cannot be %j', (value) => expect(parseOutcome(value)).toBeUndefined());

  test('has exit codes and signals as a shell has them', () => {
    expect(describeExit(2)).toBe('exit code 2');
    expect(describeExit(137)).toBe('signal SIGKILL');
    expect(describeExit(200)).toBe('exit code 200');
  });
});

describe('files of a job are read with care:', () => {
  test('a failure has a code that the runner knows and texts of bounded length', () => {
    expect(parseFailure({ code: 'other', message: '', detail: '' })).toBeUndefined();
    expect(parseFailure({ code: 'notebook-invalid', message: 1, detail: '' })).toBeUndefined();
    expect(parseFailure('x')).toBeUndefined();
    expect(
      parseFailure({ code: 'notebook-invalid', message: 'm'.repeat(9999), detail: '' })?.message,
    ).toHaveLength(500);
  });

  test('a stop has a known reason', () => {
    expect(parseStop({ reason: 'cancelled', message: 'm' })).toEqual({
      reason: 'cancelled',
      message: 'm',
    });
    expect(parseStop({ reason: 'boredom', message: 'm' })).toBeUndefined();
  });

  test('a record has all limits', () => {
    const cgroup = { version: 2, memory: '/a', pids: '/a', cpu: '/a' } as const;
    expect(parseRecord({ limits, cgroup })).toMatchObject({ cgroup });
    expect(parseRecord({ limits, cgroup: { ...cgroup, version: 3 } })).toMatchObject({
      cgroup: undefined,
    });
    expect(parseRecord({ limits, uid: 61_200 })).toEqual({ limits, uid: 61_200, staged: [] });
    expect(parseRecord({ limits })).toEqual({ limits, uid: undefined, staged: [] });
    expect(parseRecord({ limits: { ...limits, memory: '1' } })).toBeUndefined();
    expect(parseRecord({ limits, staged: [{ directory: 1 }] })).toBeUndefined();
    expect(parseRecord(undefined)).toBeUndefined();
  });
});
