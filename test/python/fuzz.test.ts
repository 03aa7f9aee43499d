import { describe, expect, test } from '@jest/globals';
import corpus from './fuzz/corpus.json' with { type: 'json' };
import { compared } from './fuzz/compared.ts';
import { Dice } from './fuzz/dice.ts';
import { engineOutcome } from './fuzz/engine.ts';
import { Statements } from './fuzz/statements.ts';

/** Programs that the engine answers in another way than CPython did when they were recorded. */
function different(rows: readonly (readonly string[])[]): string[] {
  return rows.flatMap(([program = '', expected = '']) => {
    const ours = engineOutcome(program);
    const theirs = expected.endsWith(':') ? `${expected} ` : expected;
    return compared(program, ours, theirs, false).kind === 'different'
      ? [`${program}\n  ours ${ours}\n  CPython ${theirs}`]
      : [];
  });
}

describe('generated programs', () => {
  test('two thousand of them answer as CPython 3.11 answered', () => {
    expect(corpus.length).toBe(2000);
    expect(different(corpus)).toEqual([]);
  });
  test('a wrong answer would be noticed', () => {
    expect(different([['1 + 1', '3']])).toHaveLength(1);
    expect(different([['1 / 0', 'ValueError:']])).toHaveLength(1);
  });
  test('the same seed makes the same program', () => {
    const programs = [1, 1, 2].map((seed) => new Statements(new Dice(seed)).program());
    expect(programs[0]).toBe(programs[1]);
    expect(programs[0]).not.toBe(programs[2]);
  });
});
