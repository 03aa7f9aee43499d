import { describe, expect, test } from '@jest/globals';
import { readCount, readParameters, single } from '../../src/uws/read/control.ts';
import { readListExtent, readListFilter } from '../../src/uws/read/list-filter.ts';
import { PHASES } from '../../src/uws/phases.ts';
import { isWorthWaiting, readWait } from '../../src/uws/read/wait.ts';
import { job } from './clients/jobs.ts';

function filterOf(query: string) {
  return readListFilter(readParameters(query));
}
function extentOf(query: string) {
  return readListExtent(readParameters(query));
}
function waitOf(query: string) {
  return readWait(readParameters(query), 60);
}

describe('request parameters', () => {
  test('have names in any case, and values that are kept as they are', () => {
    const parameters = readParameters('?PHAse=RUN&desTRUcTiON=2026%2B1', 'runid=a+b');
    expect(single(parameters, 'PHASE')).toBe('RUN');
    expect(single(parameters, 'DESTRUCTION')).toBe('2026+1');
    expect(single(parameters, 'RUNID')).toBe('a b');
    expect(single(parameters, 'OFFER')).toBeUndefined();
  });

  test('that are single-valued may not be repeated, not even between query and body', () => {
    expect(() => single(readParameters('?phase=RUN', 'PHASE=ABORT'), 'PHASE')).toThrow(
      'PHASE is given 2 times; it must be given once.',
    );
  });

  test('are UTF-8, so that no value silently becomes another one', () => {
    const euro = readParameters('?a=%E2%82%AC', 'b=€%20%41%c3%a9&c=%2');
    expect([single(euro, 'A'), single(euro, 'B'), single(euro, 'C')]).toEqual(['€', '€ Aé', '%2']);
    for (const text of ['?a=%E9', 'a=b&%ff=1', 'a=%ED%A0%80', 'a=%E2%82x'])
      expect(() => readParameters(text)).toThrow('is not valid UTF-8');
  });

  test.each([
    ['0', 0],
    ['12', 12],
    ['2147483648', 2_147_483_647],
    ['999999999999999999', 2_147_483_647],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['', undefined],
    [' 1', undefined],
    ['0x10', undefined],
    ['9'.repeat(400), undefined],
  ])('%p counts as %p', (text, count) => {
    expect(readCount(text)).toBe(count);
  });
});

describe('the filters of the job list', () => {
  test('leave archived jobs out by default', () => {
    expect([...filterOf('').phases]).toEqual(PHASES.filter((phase) => phase !== 'ARCHIVED'));
    expect([...filterOf('PHASE=ARCHIVED').phases]).toEqual(['ARCHIVED']);
  });

  test('are a union of phases, and a time', () => {
    expect(filterOf('phase=QUEUED&PHASE=EXECUTING&aFTer=2015-10-26&QUERY=x')).toEqual({
      phases: new Set(['QUEUED', 'EXECUTING']),
      after: new Date('2015-10-26T00:00:00Z'),
    });
  });

  test.each([
    'PHASE=',
    'PHASE=&PHASE=QUEUED',
    'PHASE=pendinggg',
    'PHASE=1345',
    'PHASE=QUEUED&PHASE=queued',
    'AFTER=sometext',
    'AFTER=2015-10-26T09:15:35%2B01:00',
    'AFTER=2015&after=2016',
  ])('%s is refused', (query) => {
    expect(() => filterOf(query)).toThrow(
      expect.objectContaining({ code: 'parameter-invalid', status: 400 }),
    );
  });

  test('name the parameter, the value and what would be right when they are refused', () => {
    expect(() => filterOf(`AFTER=${'x'.repeat(5000)}`)).toThrow(
      /^AFTER is "x{80}…"; it must be a UTC time such as/,
    );
  });
});

describe('the extent of the job list', () => {
  test('is all, the last jobs, or a page', () => {
    const id = '01a1fca5-d69a-71dd-a91d-fba173f12415';
    expect(extentOf('PHASE=QUEUED')).toEqual({ kind: 'all' });
    expect(extentOf('last=3')).toEqual({ kind: 'last', most: 3 });
    expect(extentOf('LIMIT=3')).toEqual({ kind: 'page', limit: 3, after: undefined });
    expect(extentOf('LIMIT=3000').kind).toBe('page');
    expect(extentOf(`CURSOR=12.${id}`)).toEqual({
      kind: 'page',
      limit: 100,
      after: { id, micros: 12 },
    });
  });

  test.each([
    'LAST=0',
    'LAST=-1',
    'LAST=text',
    'LAST=',
    'LAST=1&LAST=2',
    'LIMIT=0',
    'CURSOR=',
    'LAST=1&LIMIT=1',
  ])('%s is refused', (query) => {
    expect(() => extentOf(query)).toThrow(
      expect.objectContaining({ code: 'parameter-invalid', status: 400 }),
    );
  });

  test('names the parameter, the value and what would be right when it is refused', () => {
    expect(() => extentOf('LAST=-1')).toThrow('LAST is "-1"; it must be a whole number above 0.');
  });
});

describe('WAIT', () => {
  test('is capped, and -1 is the cap', () => {
    expect(waitOf('WAIT=5')).toEqual({ seconds: 5, whilePhase: undefined });
    expect(waitOf('wait=100000&PHASE=QUEUED')).toEqual({ seconds: 60, whilePhase: 'QUEUED' });
    expect(waitOf('WAIT=-1')).toEqual({ seconds: 60, whilePhase: undefined });
    expect(waitOf('')).toBeUndefined();
  });

  test.each([
    'WAIT=0',
    'WAIT=-2',
    'WAIT=1.5',
    'WAIT=soon',
    'WAIT=',
    'WAIT=1&WAIT=2',
    'WAIT=1&PHASE=queued',
    'PHASE=nonsense',
  ])('%s is refused', (query) => {
    expect(() => waitOf(query)).toThrow(expect.objectContaining({ code: 'parameter-invalid' }));
  });

  test('makes sense only in a phase that changes by itself, and in the phase that the client names', () => {
    const queued = job({ state: 'WAITING' });
    expect(isWorthWaiting(queued, { seconds: 1, whilePhase: undefined })).toBe(true);
    expect(isWorthWaiting(queued, { seconds: 1, whilePhase: 'QUEUED' })).toBe(true);
    expect(isWorthWaiting(queued, { seconds: 1, whilePhase: 'EXECUTING' })).toBe(false);
    expect(isWorthWaiting(job({ state: 'FAILED' }), { seconds: 1, whilePhase: undefined })).toBe(
      false,
    );
  });
});
