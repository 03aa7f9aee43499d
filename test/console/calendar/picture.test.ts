import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  HEIGHT,
  layersOf,
  percent,
  placeIn,
  usedOf,
  WIDTH,
} from '../../../src/console/calendar/picture/picture.ts';
import { stepAt } from '../../../src/console/calendar/picture/steps.ts';
import { QUARTER, rowOf, rows, START } from './worlds.ts';

describe('the picture of a row', () => {
  test('never shows more than there is, nor what is free as used', () => {
    fc.assert(
      fc.property(rows, ({ steps }) => {
        for (const step of steps) {
          const { used, firm } = usedOf(step, 'cores', 8);
          expect(firm).toBeGreaterThanOrEqual(0);
          expect(used).toBeGreaterThanOrEqual(firm);
          expect(used + step.free.cores).toBeLessThanOrEqual(8);
        }
      }),
    );
  });

  test('shows sums as they are where they are no more than there is', () => {
    const [step] = rowOf([{ quarters: 1, free: 3, held: 1, firm: 4 }]).steps;
    expect(step && usedOf(step, 'cores', 8)).toEqual({ used: 5, firm: 4 });
  });

  test('has at each time the height of its step', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 9999 }), (row, place) => {
        const { steps } = row;
        const span = { from: START, to: steps.at(-1)?.end ?? 0 };
        const instant = span.from + Math.floor((place / 10_000) * (span.to - span.from));
        const step = stepAt(steps, instant);
        // Within a unit of a border, the picture may have either step.
        fc.pre(
          Math.min(instant - step.start, step.end - instant) > (2 * (span.to - span.from)) / WIDTH,
        );
        const { firm, held } = layersOf(row, 'cores', span);
        const { used, firm: reserved } = usedOf(step, 'cores', 8);
        const x = placeIn(span, instant) * WIDTH;
        expect(heightAt(firm, x)).toBe(Math.round((reserved / 8) * HEIGHT));
        expect(heightAt(held, x)).toBe(Math.round((used / 8) * HEIGHT));
      }),
    );
  });

  test('has maintenance from the top, as high as what it takes', () => {
    const row = rowOf([{ quarters: 8, free: 8 }]);
    const away = [
      {
        start: START + 2 * QUARTER,
        end: START + 20 * QUARTER,
        reason: 'new discs',
        takes: { cores: 2, memory: 0, scratch: 0 },
      },
    ];
    const span = { from: START, to: START + 8 * QUARTER };
    expect(layersOf({ ...row, away }, 'cores', span)).toEqual({
      away: 'M2500 0H10000V250H2500Z',
      held: '',
      firm: '',
      own: '',
    });
  });

  test('outlines what is mine, as high as its amount', () => {
    const [start, end] = [START + 2 * QUARTER, START + 4 * QUARTER];
    const amount = { cores: 2, memory: 0, scratch: 0 };
    const own = [{ ask: 'one', job: undefined, start, end, amount }];
    const row = { ...rowOf([{ quarters: 8, free: 8 }]), own };
    const span = { from: START, to: START + 8 * QUARTER };
    expect(layersOf(row, 'cores', span).own).toBe('M2500 1000V750H5000V1000Z');
    expect(layersOf(row, 'memory', span).own).toBe('');
  });

  test('is empty where there is none', () => {
    const row = rowOf([{ quarters: 8, free: 8 }]);
    const span = { from: START, to: START + 8 * QUARTER };
    expect(layersOf(row, 'gpus', span)).toEqual({ away: '', held: '', firm: '', own: '' });
  });
});

test('places are within the picture', () => {
  const span = { from: 100, to: 200 };
  expect([50, 100, 150, 200, 999].map((at) => placeIn(span, at))).toEqual([0, 0, 0.5, 1, 1]);
  expect([0, 1 / 3, 1].map(percent)).toEqual(['0%', '33.333%', '100%']);
});

/** The height of a path that `layersOf` made, above the bottom. */
function heightAt(path: string, x: number): number {
  let [at, height] = [0, 0];
  for (const [, command, value] of path.matchAll(/([MHV])(\d+)/g)) {
    if (command === 'V') height = HEIGHT - Number(value);
    else if (Number(value) > x) return at > x ? 0 : height;
    else at = Number(value);
  }
  return height;
}
