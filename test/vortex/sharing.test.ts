import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PyList } from '../../src/python/index.ts';
import { DestinationIndex } from '../../src/vortex/decide/destination-index.ts';
import { KeyIndex } from '../../src/vortex/file/key-index.ts';
import { compilePattern } from '../../src/vortex/file/pattern.ts';
import { consider, map } from '../../src/vortex/index.ts';
import { clausesAgainst } from '../../src/vortex/decide/match.ts';
import { Entity } from '../../src/vortex/entity/entity.ts';
import { TagSet } from '../../src/vortex/entity/tags.ts';
import { BUSY, jobs } from './busy.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

function without(answer: object): object {
  return { ...answer, trace: [] };
}

describe('state shared between jobs', () => {
  test('does not change a decision, whatever jobs came before', () => {
    const used = rulesOf(BUSY);
    fc.assert(
      fc.property(jobs, (job) => {
        const fresh = rulesOf(BUSY);
        expect(map(used, job, surroundings)).toEqual(map(fresh, job, surroundings));
        expect(consider(used, job, surroundings)).toEqual(consider(fresh, job, surroundings));
      }),
      { numRuns: 300 },
    );
  });

  test('gives the same decision with an explanation and without, in strict mode too', () => {
    const used = rulesOf(BUSY);
    fc.assert(
      fc.property(jobs, fc.boolean(), (job, strict) => {
        const told = map(used, job, { ...surroundings, strict });
        const untold = map(used, job, { ...surroundings, strict, explain: false });
        expect(untold).toEqual(without(told));
        expect(untold.trace).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('is not needed: many different jobs are decided as well', () => {
    const used = rulesOf(BUSY);
    const expected = map(rulesOf(BUSY), jobOf('bwa_1'), surroundings);
    for (let number = 0; number < 6_000; number += 1)
      map(used, jobOf(`bwa_${number}`), { ...surroundings, explain: false });
    expect(map(used, jobOf('bwa_1'), surroundings)).toEqual(expected);
  });
});

describe('the index of destinations', () => {
  const tags = fc.subarray(['a', 'b', 'c', 'd']);
  const tagSets = fc.record({ require: tags, prefer: tags, accept: tags, reject: tags });
  const limit = fc.option(fc.integer({ min: 0, max: 4 }));
  const destinations = fc.array(
    fc.record({
      tags: tagSets,
      abstract: fc.constantFrom(false, false, true),
      most: limit,
      least: limit,
    }),
    { maxLength: 12 },
  );

  test('finds the destinations without a clause against them, in order, with scores and reasons', () => {
    fc.assert(
      fc.property(destinations, tagSets, limit, limit, (described, wanted, cores, mem) => {
        const all = described.map(({ tags, abstract, most, least }, index) => {
          const entity = new Entity('destination', `d${index}`);
          entity.abstract = abstract;
          entity.destination = {
            runner: null,
            name: entity.id,
            handlerTags: new PyList([]),
            tags: new TagSet(tags),
            accepted: {
              max_accepted_cores: most,
              min_accepted_cores: null,
              max_accepted_mem: null,
              min_accepted_mem: least,
              max_accepted_gpus: null,
              min_accepted_gpus: null,
            },
          };
          return entity;
        });
        const job = new Entity('tool', 'x');
        job.tags = new TagSet(wanted);
        job.amounts.cores = cores;
        job.amounts.mem = mem;
        const expected = all.filter((destination) => clausesAgainst(destination, job).length === 0);
        const index = new DestinationIndex(all);
        const asked = { cores, mem, gpus: null, unfit: null };
        // Asked twice: the second answer comes from what the first found out.
        for (let time = 0; time < 2; time += 1)
          expect(index.inOrder(job.tags, asked)).toEqual(expected);
        const reasons = all.map((destination) => [destination, clausesAgainst(destination, job)]);
        for (let time = 0; time < 2; time += 1)
          expect([...index.reasons(job.tags, asked)]).toEqual(reasons);
        const ranked = expected.map((destination) => ({
          destination,
          score: destination.scoreOf(job),
        }));
        const found = index
          .byScore(job.tags, asked)
          .map(({ destination, score }) => ({ destination, score }));
        expect(found).toEqual(ranked.sort((a, b) => b.score - a.score));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the index of keys', () => {
  const pieces = fc.constantFrom(
    'a',
    'b',
    'ab',
    '.',
    '.*',
    'a*',
    'b?',
    '(a|b)',
    '[ab]',
    '^',
    '$',
    '|',
    '\\.',
    '\\+',
    '\\w',
    'a{2}',
    'é',
    '𝒳',
    '/',
  );
  const keys = fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(''));
  const texts = fc
    .array(fc.constantFrom('a', 'b', 'é', '𝒳', '/', '.', '+', '\n'), { maxLength: 6 })
    .map((parts) => parts.join(''));

  test('finds the keys that match as regular expressions at the start, in their order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(keys, { maxLength: 8 }), texts, (all, text) => {
        const usable = all.filter(isUsable);
        const expected = usable.filter((key) => new RegExp(compilePattern(key)).test(text));
        const index = new KeyIndex(new Map(usable.map((key) => [key, key])));
        expect(index.matching(text).values).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

function isUsable(key: string): boolean {
  try {
    compilePattern(key);
    return true;
  } catch {
    return false;
  }
}
