import { describe, expect, test } from '@jest/globals';
import { consider, map } from '../../../src/vortex/index.ts';
import { jobOf, rulesOf, surroundings } from '../job.ts';

describe('what a rank function gives', () => {
  test.each([
    ['[d.id for d in candidate_destinations]', "'str' object has no attribute 'combine'"],
    ["'a'", "'str' object has no attribute 'combine'"],
    ['[None] + candidate_destinations', "'NoneType' object has no attribute 'combine'"],
    ['candidate_destinations[0]', "'tuple' object has no attribute 'combine'"],
    ['5', "'int' object is not iterable"],
    ['[entity]', "'Tool' object has no attribute 'dest_name'"],
  ])('a rank function that lists no destinations is an error: %s', (rank, message) => {
    const rules = rulesOf(`tools:\n  x:\n    rank: "${rank}"\ndestinations:\n  a: {runner: x}\n`);
    expect(map(rules, jobOf('x'), surroundings)).toMatchObject({ kind: 'error', message });
    expect(consider(rules, jobOf('x'), surroundings)).toMatchObject({ kind: 'stopped' });
  });

  test('what a rank function lists behind destinations is an error when none of them takes the job', () => {
    const rules = (rule: string) =>
      rulesOf(`
tools:
  x: {rank: "candidate_destinations + ['b']"}
destinations:
  a: {runner: x, rules: [{if: true, execute: "${rule}"}]}
`);
    expect(map(rules('pass'), jobOf('x'), surroundings)).toMatchObject({
      chosen: { destination: 'a' },
    });
    const passing = 'from tpv.core.entities import TryNextDestinationOrFail as T\\nraise T()';
    expect(map(rules(passing), jobOf('x'), surroundings)).toMatchObject({
      kind: 'error',
      message: "'str' object has no attribute 'combine'",
    });
  });

  test.each([
    ['0', 0],
    ["''", 0],
    ['(d for d in candidate_destinations)', 1],
  ])('a rank function may give %s', (rank, evaluated) => {
    const rules = rulesOf(`tools:\n  x:\n    rank: "${rank}"\ndestinations:\n  a: {runner: x}\n`);
    expect(consider(rules, jobOf('x'), surroundings)).toMatchObject({
      candidates: [{ kind: evaluated === 1 ? 'evaluated' : 'refused' }],
    });
  });
});
