import { expect, test } from '@jest/globals';
import { createOpenAnswers } from '../../src/planner/record/open-answers.ts';
import { newAskId } from '../../src/planner/record/offer-ids.ts';
import type { AskId } from '../../src/words/ids.ts';
import { openTestDatabase } from '../harness/database.ts';

test('answers of other planners that are over are not kept for an owner who never asks here', async () => {
  const { database, close } = await openTestDatabase();
  let [now, looks] = [0, 0];
  const listeners: ((opened: { owner: string; ask: AskId; ms: number }) => void)[] = [];
  const clock = (): number => {
    looks += 1;
    return now;
  };
  const answers = createOpenAnswers(database, clock, {
    tell: () => undefined,
    hear: (listener) => void listeners.push(listener),
  });
  for (let count = 0; count < 1000; count += 1) {
    now += 1000;
    for (const hear of listeners) hear({ owner: 'ada', ask: newAskId(), ms: 1500 });
  }
  looks = 0;
  const site = { holdBudget: { named: 100, anonymous: 100 } };
  expect(await answers.excess(site, 'ada')).toBeUndefined();
  // It looks at the time once for each answer that it still has.
  expect(looks).toBe(2);
  await close();
});
