import { describe, expect, test } from '@jest/globals';
import { saidAfter, type Said } from '../../src/console/offers/announcement.ts';
import { documentOf, draftFor, draftOf, unseenOf } from '../../src/console/ask/document.ts';
import { getsText } from '../../src/console/offers/gets.ts';
import { amountsText, byDestination, groupsOf, sentenceOf } from '../../src/console/ask/grouped.ts';
import { routeOf, addressOf } from '../../src/console/route.ts';
import { troubleOf } from '../../clients/typescript/src/http/trouble.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';

describe('the form and the document', () => {
  const asked = {
    name: 'Deep field 7',
    task: { type: TYPE, spec: { command: ['sort', ''] }, note: 'kept' },
    costs: [{ type: 'credits', max: 3 }],
    resources: {
      compute: [
        { name: 'a', 'min-cores': 2, 'max-cores': 4, 'min-memory': '512MiB', arch: 'amd64' },
        { replicas: 3 },
      ],
      storage: [{ name: 's', type: 'ephemeral' }],
    },
    time: [{ start: '2026-11-24T20:00:00.000Z', duration: 'PT2H30M' }, { duration: 'PT1H' }],
  };

  test('are two views of one: what the form does not show is kept', () => {
    expect(documentOf(draftOf(asked))).toEqual(asked);
  });

  test('say what the form does not show', () => {
    expect(unseenOf(asked)).toEqual([
      'costs',
      'resources.storage[0]',
      'resources.compute[1]',
      'resources.compute[0].name',
      'resources.compute[0].arch',
      'task.note',
      'time[1]',
    ]);
  });

  test('an empty field is no value of the document', () => {
    const draft = { ...draftFor(TYPE, {}), minCores: '', memory: '', hours: '' };
    expect(documentOf(draft)).toEqual({ task: { type: TYPE, spec: {} } });
  });
});

describe('reasons of a NO', () => {
  const reason = (destinations: string[], limit: number, code = 'above-max-accepted') => ({
    code,
    path: 'resources.compute[0].min-cores',
    text: `${destinations.join(', ')}: The destination accepts no more. (asked 99 cores, limit ${limit})`,
    destinations,
    asked: 99,
    limit,
  });
  const reasons = [reason(['a', 'b'], 4), reason(['c'], 8), reason(['a'], 4, 'above-capacity')];

  test('are grouped by what they say, with the limits of destinations', () => {
    expect(groupsOf(reasons)).toMatchObject([
      {
        text: 'The destination accepts no more.',
        amount: 'asked: 99',
        limits: [
          { limit: 'limit 4', destinations: ['a', 'b'] },
          { limit: 'limit 8', destinations: ['c'] },
        ],
      },
      { code: 'above-capacity' },
    ]);
  });

  test('that differ in more than limits and destinations have a group each', () => {
    const quota = (name: string, asked: number) => ({
      code: 'quota-exceeded',
      path: '',
      text: `The quota would be exceeded. The quota of ${name} is for each user. (asked ${asked}, limit 1)`,
      asked,
      limit: 1,
    });
    const all = [quota('held offers', 4), quota('cores', 4), quota('cores', 2), quota('cores', 4)];
    expect(groupsOf(all).map(({ text, amount, limits }) => [text, amount, limits.length])).toEqual([
      ['The quota would be exceeded. The quota of held offers is for each user.', 'asked: 4', 1],
      ['The quota would be exceeded. The quota of cores is for each user.', 'asked: 4', 2],
      ['The quota would be exceeded. The quota of cores is for each user.', 'asked: 2', 1],
    ]);
  });

  test('name the resource, and say whether somebody asked for the amount', () => {
    const base = { code: 'above-capacity', path: '' };
    const saying = (end: string) => ({
      ...base,
      text: `a: Too little. (${end})`,
      destinations: ['a'],
    });
    const needed = {
      ...saying('the task needs 20Gb of scratch space here, limit 10Gb'),
      resource: 'scratch',
      needed: '20Gb',
      limit: '10Gb',
    } as const;
    const asked = {
      ...saying('asked 1 core, limit 4'),
      resource: 'cores',
      asked: 1,
      limit: 4,
    } as const;
    const most = { ...saying('limit 2 GPUs'), resource: 'gpus', limit: 2 } as const;
    expect([needed, asked, most].map((each) => [sentenceOf(each), amountsText(each)])).toEqual([
      ['Too little.', 'the task needs 20Gb of scratch space here, limit 10Gb'],
      ['Too little.', 'asked: 1 core, limit 4'],
      ['Too little.', 'limit 2 GPUs'],
    ]);
    expect(groupsOf([needed])).toMatchObject([
      { amount: 'the task needs 20Gb of scratch space here', limits: [{ limit: 'limit 10Gb' }] },
    ]);
  });

  test('are said by destination, those with the fewest first', () => {
    expect(byDestination(reasons).map(([name, all]) => [name, all.length])).toEqual([
      ['b', 1],
      ['c', 1],
      ['a', 2],
    ]);
  });
});

test('what an offer gives is said in words', () => {
  expect(getsText([{ 'max-cores': 4, 'max-memory': '8Gb', gpu: { type: 'a100', count: 2 } }])).toBe(
    '4 cores, 8 GiB, 2 a100',
  );
  expect(getsText([{ 'max-cores': 1, replicas: 3 }])).toBe('3 × (1 core)');
});

/** What is said, one after the other, while these seconds are left. */
function heard(...seconds: readonly number[]): readonly string[] {
  const texts: string[] = [];
  let said: Said | undefined;
  for (const each of seconds) {
    said = saidAfter(said, each);
    if (said.text !== texts.at(-1)) texts.push(said.text);
  }
  return texts;
}

test('the end of offers is said three times', () => {
  expect(heard(300, 61, 60, 59.5, 16, 15, 14.5, 1, 0.5, 0, 0)).toEqual([
    '',
    'The offers are held for 60 more seconds.',
    'The offers are held for 15 more seconds.',
    'The offers are no longer held.',
  ]);
});

test('offers that begin with less are announced with what is left', () => {
  expect(heard(10.6, 10, 1, 0)).toEqual([
    'The offers are held for 11 more seconds.',
    'The offers are no longer held.',
  ]);
  expect(heard(300, 0.9)).toEqual(['', 'The offers are held for 1 more second.']);
});

test('an address leads to its screen and back', () => {
  expect(routeOf('')).toMatchObject({ screen: 'ask' });
  expect(routeOf('#/asks/7/explain')).toEqual({ screen: 'explanation', of: 'asks', ident: '7' });
  expect(routeOf('#/jobs/a%20b')).toEqual({ screen: 'job', ident: 'a b' });
  expect(routeOf('#/jobs/%')).toEqual({ screen: 'job', ident: '%' });
  expect(routeOf('#/nothing/1/2/3')).toEqual({ screen: 'unknown' });
  expect(routeOf('#/jobs/')).toEqual(routeOf('#/jobs'));
  const nowhere = ['#/jobs/..', '#/offers/%2e%2e', '#/asks/.', '#/asks//explain'];
  expect(nowhere.map((address) => routeOf(address).screen)).toEqual(nowhere.map(() => 'unknown'));
  const route = routeOf(addressOf('jobs', { phase: 'ERROR', name: '', since: undefined }));
  expect(route.screen === 'jobs' && [...route.fields]).toEqual([['phase', 'ERROR']]);
});

test('a refusal is read from a problem document and from the text below /jobs', () => {
  const headers = new Headers({ 'retry-after': '7' });
  expect(
    troubleOf({ status: 409, headers }, { code: 'offer-decided', detail: 'No.', winner: 'x' }),
  ).toMatchObject({ code: 'offer-decided', detail: 'No.', winner: 'x', retryAfter: 7 });
  expect(
    troubleOf({ status: 404, headers: new Headers() }, 'job-unknown: There is none.\n'),
  ).toMatchObject({ code: 'job-unknown', detail: 'There is none.', retryAfter: undefined });
});
