import { describe, expect, test } from '@jest/globals';
import { seenOf } from '../../../src/console/explain/seen.ts';
import { phasesOf } from '../../../src/console/explain/step-text.ts';
import { generalReasons, orderOf, verdictsOf } from '../../../src/console/explain/verdicts.ts';

type Told = Parameters<typeof verdictsOf>[0];

const NONE: Told = {
  ident: '01a2093b-c77e-7352-97bc-626f04154819',
  asked: '2026-11-23T16:27:22.463Z',
  identity: { type: 'anonymous' },
  result: 'YES',
  rules: { digest: '77da', replay: 'same' },
  inputs: null,
  candidates: [],
  trace: [],
  offers: [],
  reasons: [],
};

describe('verdicts on destinations', () => {
  test('offers, reasons and the words of rules are joined by destination', () => {
    const verdicts = verdictsOf({
      ...NONE,
      candidates: [
        { destination: 'a', verdict: 'matched', rank: 1, score: 2, reasons: [] },
        { destination: 'b', verdict: 'matched', rank: 2, score: 1, reasons: [] },
        { destination: 'c', verdict: 'matched', reasons: [] },
        { destination: 'd', verdict: 'refused', reasons: ['too many cores'] },
        { destination: 'e', verdict: 'stopped', rank: 3, score: 0, reasons: ['fails: no'] },
      ],
      offers: [
        { ident: 'x', href: 'y', status: 'OFFERED', destination: 'a', start: '2026-11-23T17:00Z' },
      ],
      reasons: [reason(['b', 'd'])],
      book: {
        time: '2026-11-23T17:00Z',
        read: [{ destination: 'a', free: { cores: 4, memory: 8, scratch: 80 } }],
        roomy: [],
      },
    });
    expect(verdicts.map(({ destination, kind }) => `${destination} ${kind}`)).toEqual([
      'a offered',
      'b fits',
      'c fits',
      'd unfit',
      'e stopped',
    ]);
    expect(verdicts.map((each) => ('reasons' in each ? each.reasons.length : undefined))).toEqual([
      undefined,
      1,
      0,
      1,
      undefined,
    ]);
    expect(verdicts.map(({ free }) => free?.cores)).toEqual([4, ...Array(4)]);
  });

  test('a reason without a known destination holds everywhere', () => {
    const told: Told = {
      ...NONE,
      result: 'NO',
      candidates: [{ destination: 'a', verdict: 'matched', rank: 1, score: 0, reasons: [] }],
      reasons: [reason(['a']), reason([]), reason(['gone'])],
    };
    expect(generalReasons(told)).toEqual([reason([]), reason(['gone'])]);
  });

  test.each([
    [[], 'one'],
    [[3], 'one'],
    [[2, 2], 'equal'],
    [[2, 1, 1], 'scores'],
    [[1, 2], 'own'],
  ])('the order of scores %j is told as %s', (scores, order) => {
    const candidates = scores.map((score, index) => ({
      destination: String(index),
      verdict: 'matched' as const,
      rank: index + 1,
      score,
      reasons: [],
    }));
    expect(orderOf(verdictsOf({ ...NONE, candidates }))).toBe(order);
  });
});

test('steps are sentences in groups, and an unknown one has its data', () => {
  expect(
    phasesOf([
      { step: 'no-user' },
      { step: 'resources', amounts: { cores: '2.0', mem: '1.0', gpus: 'None' } },
      { step: 'ranked', position: 1, destination: 'a', score: 2 },
      { step: 'invented', by: ['x', null, { n: 1 }] },
    ]),
  ).toEqual([
    {
      title: 'Who and what was recognised',
      lines: ['Nobody is signed in, so no rules of a user apply.'],
    },
    { title: 'What the task needs', lines: ['Amounts: cores 2.0, mem 1.0.'] },
    { title: 'In which order they are tried', lines: ['1. a, score 2'] },
    { title: 'What came of it', lines: ['invented by x, n 1'] },
  ]);
});

test('what the rules saw is told in words', () => {
  const job = {
    tool: { id: 'executable/sort', requirements: [{ type: 'cores_min', value: 2 }] },
    user: { email: 'ada@example.org' },
    roles: [{ name: 'staff' }],
    inputs: [{ name: 'sky.fits' }],
    otherJobs: [{ state: 'running', jobs: 3 }],
  };
  expect(
    seenOf({ job, circumstances: { now: Date.UTC(2026, 10, 24, 20) } }, 'Europe/Berlin'),
  ).toEqual([
    ['Task', 'executable/sort'],
    ['Cores, at least', '2'],
    ['Asked by', 'ada@example.org'],
    ['Roles', 'staff'],
    ['Inputs', '1: sky.fits'],
    ['Jobs of others', '3 running'],
    ['Time of the decision', 'Tue 24 Nov, 21:00'],
  ]);
  expect(seenOf({ job: {}, circumstances: {} }, 'UTC')).toEqual([
    ['Task', ''],
    ['Asked by', 'nobody in particular'],
  ]);
});

function reason(destinations: string[]): Told['reasons'][number] {
  return {
    code: 'above-capacity',
    path: 'resources.compute[0].min-cores',
    text: 'The destination has less than that in total.',
    destinations,
  };
}
