import { describe, expect, test } from '@jest/globals';
import { offerFilterOf, offerQueryOf } from '../../../src/console/offers/filter.ts';
import { countsByOwner, GROUPS } from '../../../src/console/site/job-counts.ts';
import { PHASE_GROUPS } from '../../../src/console/jobs/list-filter.ts';

describe('jobs by owner and phase', () => {
  test('phases count together as the filter of the job list has them, most jobs first', () => {
    const ada = { owner: 'user:ada@example.org', user: 'ada@example.org' };
    const counted = countsByOwner([
      { owner: 'anonymous', phase: 'ERROR', jobs: 1 },
      { ...ada, phase: 'PENDING', jobs: 2 },
      { ...ada, phase: 'QUEUED', jobs: 3 },
      { ...ada, phase: 'EXECUTING', jobs: 4 },
    ]);
    expect(counted).toEqual([
      {
        ...ada,
        all: 9,
        counts: { running: 4, waiting: 5, done: 0, failed: 0, aborted: 0, archived: 0 },
      },
      expect.objectContaining({ owner: 'anonymous', user: undefined, all: 1 }),
    ]);
  });

  test('each group of the filter has a column', () => {
    expect([...GROUPS].toSorted()).toEqual(Object.keys(PHASE_GROUPS).toSorted());
  });
});

describe('the filters of the list of offers', () => {
  const queryOf = (fields: string) => offerQueryOf(offerFilterOf(new URLSearchParams(fields)));

  test('without any, it has the open offers of the client', () => {
    expect(queryOf('')).toEqual({ status: ['OFFERED'] });
    for (const state of ['mistyped', 'constructor', '__proto__'])
      expect(queryOf(`state=${state}`)).toEqual({ status: ['OFFERED'] });
  });

  test('a state, a destination and an owner are parameters', () => {
    expect(queryOf('state=given+back&destination=a&owner=*')).toEqual({
      status: ['REJECTED'],
      destination: ['a'],
      owner: '*',
    });
    expect(queryOf('state=all')).toEqual({});
  });
});
