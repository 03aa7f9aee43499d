import { expect, test } from '@jest/globals';
import { Fuel } from '../../../src/python/index.ts';
import { Repeater, Results } from '../../../src/vortex/decide/results.ts';
import { jobOf } from '../job.ts';

/** How often something runs that two jobs ask for, and whose result is this. */
function runsFor<T>(result: T): number {
  const results = new Results<T>();
  let runs = 0;
  for (let job = 0; job < 2; job += 1)
    new Repeater(jobOf('tool'), new Fuel(1000), new Map()).run(
      results,
      { text: 'a text', names: [] },
      new Map(),
      () => {
        runs += 1;
        return result;
      },
    );
  return runs;
}

test('results are kept while they are short, so that 2,000 of them stay small', () => {
  expect([runsFor('x'), runsFor(['x', 'y']), runsFor(2)]).toEqual([1, 1, 1]);
  expect([
    runsFor('x'.repeat(501)),
    runsFor(['x'.repeat(300), 'y'.repeat(300)]),
    runsFor(10n ** 600n),
  ]).toEqual([2, 2, 2]);
});
