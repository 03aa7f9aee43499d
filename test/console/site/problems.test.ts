import { describe, expect, test } from '@jest/globals';
import { problemsOf } from '../../../src/console/site/problems.ts';

type Told = Parameters<typeof problemsOf>[0];
type Destination = Told['destinations'][number];

const NOTHING = { cores: 0, memory: 0, scratch: 0 };
const FINE: Destination = {
  destination: 'a',
  listed: true,
  open: true,
  engine: 'answers',
  held: NOTHING,
  firm: NOTHING,
  queue: { pending: 0, waiting: 0, due: 0, running: 0, 'longest-wait': 0 },
};
const EXECUTOR = {
  executor: 'host-1-4711',
  host: 'host-1',
  alive: true,
  until: '2026-11-23T17:00:08Z',
  jobs: 2,
  engines: [{ destination: 'a', answers: true }],
};
const RULES: NonNullable<Told['rules']> = {
  digest: '4f1c',
  since: '2026-11-23T08:00:00Z',
  state: 'current',
  problems: [],
  files: ['/etc/planner/rules.yml'],
  loaded: 0,
  refused: 0,
};
const WORKS: Told = {
  at: '2026-11-23T17:00:00Z',
  destinations: [FINE],
  executors: [EXECUTOR],
  holders: [],
  jobs: [],
  parts: [{ part: 'rules', state: 'ok', problems: [] }],
  rules: RULES,
  site: { file: '/etc/planner/site.yml', problems: [] },
  quotas: [],
};

describe('what an operator should look at', () => {
  test('is nothing while all works', () => {
    expect(problemsOf(WORKS)).toEqual([]);
  });

  test.each<readonly [string, Partial<Told>, string]>([
    [
      'a part that fails, with why',
      { parts: [{ part: 'disc', state: 'degraded', problems: ['1 GiB left'] }] },
      'disc: works with faults – 1 GiB left',
    ],
    [
      'rules that are not the newest',
      { rules: { ...RULES, state: 'kept' } },
      'The rule files cannot be used; the last good rules are in force.',
    ],
    [
      'a fault of the site file',
      { site: { file: '/etc/planner/site.yml', problems: ['no such runner'] } },
      'no such runner',
    ],
    [
      'an engine that does not answer',
      { destinations: [{ ...FINE, engine: 'silent' }] },
      'The engine of a does not answer.',
    ],
    [
      'a destination with jobs that the site file forgot',
      { destinations: [{ ...FINE, listed: false }] },
      'The site file no longer names a, which still has jobs.',
    ],
    [
      'jobs that wait beyond their start',
      {
        destinations: [
          { ...FINE, queue: { ...FINE.queue, waiting: 2, due: 2, 'longest-wait': 90 } },
        ],
      },
      '2 jobs wait at a beyond the promised start, the longest 1:30.',
    ],
    [
      'a full room for results',
      { destinations: [{ ...FINE, results: { pool: '*', size: 10, held: 4, kept: 6 } }] },
      'The room for results of the whole site is full.',
    ],
    [
      'an executor that left with jobs',
      { executors: [EXECUTOR, { ...EXECUTOR, alive: false, host: 'host-2', jobs: 1 }] },
      'An executor of host-2 is gone with 1 job.',
    ],
  ])('is %s', (_, told, sentence) => {
    expect(problemsOf({ ...WORKS, ...told })).toEqual([sentence]);
  });

  test('is the lack of an executor only while there is work', () => {
    const away: Told = { ...WORKS, executors: [] };
    const busy = { ...FINE, queue: { ...FINE.queue, waiting: 1 } };
    expect(problemsOf(away)).toEqual([]);
    expect(problemsOf({ ...away, destinations: [busy] })).toEqual([
      'No executor is alive: no job starts.',
    ]);
  });

  test('says once what two parts say', () => {
    const told: Told = {
      ...WORKS,
      destinations: [
        { ...FINE, results: { pool: '*', size: 1, held: 0, kept: 1 } },
        { ...FINE, destination: 'b', results: { pool: '*', size: 1, held: 0, kept: 1 } },
      ],
    };
    expect(problemsOf(told)).toHaveLength(1);
  });

  test('is no executor that left without jobs, nor a wait of seconds', () => {
    const queue = { ...FINE.queue, waiting: 1, due: 1, 'longest-wait': 12 };
    expect(
      problemsOf({
        ...WORKS,
        executors: [EXECUTOR, { ...EXECUTOR, alive: false, jobs: 0 }],
        destinations: [{ ...FINE, queue }],
      }),
    ).toEqual([]);
  });
});
