import { isAbsolute, join, normalize, sep } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseOfferId, type JobId } from '../../src/words/ids.ts';
import {
  jobOfRun,
  logPath,
  machineName,
  machineRunId,
  parseRunId,
} from '../../src/words/run-id.ts';

const jobs: fc.Arbitrary<JobId> = fc.uuid().map((text) => {
  const job = parseOfferId(text);
  if (job === undefined) throw new Error(`a UUID is an id: ${text}`);
  return job;
});
const machines = fc.nat(999_999);
/** Texts that are almost a run id: characters are removed, added or replaced. */
function almost(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      texts,
      fc.nat(60),
      fc.nat(2),
      fc.constantFrom(
        '',
        '-',
        '0',
        '00',
        '1',
        'A',
        'g',
        '.',
        '/',
        '../',
        '\n',
        ' ',
        '\0',
        '١',
        '-1',
        '1e3',
      ),
    )
    .map(([text, at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut));
}

describe('the id of a run', () => {
  test('is the job, or the job and the number of a machine, and is read as it was printed', () => {
    fc.assert(
      fc.property(jobs, machines, (job, machine) => {
        expect(parseRunId(job)).toBe(job);
        expect(jobOfRun(job)).toEqual({ job, machine: undefined });
        const run = machineRunId(job, machine);
        expect(parseRunId(run)).toBe(run);
        expect(jobOfRun(run)).toEqual({ job, machine });
      }),
    );
  });

  test('is nothing else, so that no run has two ids', () => {
    const runs = fc
      .tuple(jobs, fc.option(machines))
      .map(([job, machine]) => (machine === null ? job : machineRunId(job, machine)));
    fc.assert(
      fc.property(fc.oneof(almost(runs), fc.string()), (text) => {
        const run = parseRunId(text);
        if (run === undefined) return;
        const { job, machine } = jobOfRun(run);
        expect(machine === undefined ? job : machineRunId(job, machine)).toBe(text);
      }),
      { numRuns: 2000 },
    );
    const job = '01990000-0000-7000-8000-00000000000a';
    for (const text of [
      `${job}-`,
      `${job}-00`,
      `${job}-01`,
      `${job}--1`,
      `${job}-1.5`,
      `${job}-1000000`,
      `${job}-1\n`,
      `${job}-1-1`,
      `${job}_1`,
      ` ${job}`,
      job.toUpperCase(),
      '',
    ]) {
      expect(parseRunId(text)).toBeUndefined();
    }
  });

  test.each([-1, 0.5, 1_000_000, 1e21, Number.NaN, Infinity])('has no machine %p', (machine) => {
    fc.assert(
      fc.property(jobs, (job) => {
        expect(() => machineRunId(job, machine)).toThrow(RangeError);
      }),
      { numRuns: 5 },
    );
  });
});

describe('the path of a log', () => {
  test('is that of the job, or of one of its machines', () => {
    expect(['stdout', 'stderr', 'machine-0.stdout', 'machine-99.stderr'].map(logPath)).toEqual([
      'stdout',
      'stderr',
      'machine-0/stdout',
      'machine-99/stderr',
    ]);
    fc.assert(
      fc.property(machines, fc.constantFrom('stdout', 'stderr'), (machine, log) => {
        expect(logPath(`${machineName(machine)}.${log}`)).toBe(join(machineName(machine), log));
      }),
    );
  });

  test.each([
    '',
    '.',
    '..',
    '/',
    '/stdout',
    './stdout',
    '../stdout',
    'stdout/',
    'stdout/..',
    'stdout\n',
    'stdout\0',
    'machine-0/../../stdout',
    'machine-0.stdout/../..',
    '../machine-0.stdout',
    'machine-.stdout',
    'machine-00.stdout',
    'machine-0.stdin',
    'machine-0.outcome.json',
    'machine-0.work',
    'machine-0.stdout.stdout',
    'job.json',
    'outcome.json',
    'machines.json',
    'machine-1000000.stdout',
  ])('is not %p', (id) => {
    expect(logPath(id)).toBeUndefined();
  });

  test('never leads out of the directory of the job, whatever is asked for', () => {
    const logs = fc.oneof(
      fc.constantFrom('stdout', 'stderr'),
      fc
        .tuple(machines, fc.constantFrom('stdout', 'stderr'))
        .map(([machine, log]) => `machine-${machine}.${log}`),
    );
    fc.assert(
      fc.property(fc.oneof(almost(logs), fc.string()), (id) => {
        const path = logPath(id);
        if (path === undefined) return;
        expect(isAbsolute(path)).toBe(false);
        expect(normalize(path)).toBe(path);
        expect(path.split(sep)).not.toContain('..');
        expect(path).toMatch(/^(machine-\d{1,6}\/)?(stdout|stderr)$/);
      }),
      { numRuns: 2000 },
    );
  });
});
