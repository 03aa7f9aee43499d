import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PyList } from '../../src/python/index.ts';
import { DestinationIndex } from '../../src/vortex/destination-index.ts';
import { KeyIndex } from '../../src/vortex/key-index.ts';
import { compilePattern } from '../../src/vortex/pattern.ts';
import { consider, map } from '../../src/vortex/index.ts';
import type { JobDescription } from '../../src/vortex/index.ts';
import { clausesAgainst } from '../../src/vortex/match.ts';
import { Entity } from '../../src/vortex/entity.ts';
import { TagSet } from '../../src/vortex/tags.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

/** Rules that change entities in every way that is shared between jobs, or remembered from one to the next. */
const BUSY = `
global: {default_inherits: default, context: {list: [1], grade: low}}
tools:
  default:
    abstract: true
    cores: 2
    mem: cores * 2.5
    params: {native: '--cpus {cores}', nested: {list: [a, '{mem}'], fixed: 1.0}}
    env: [{name: A, value: '{mem}'}, {name: B, value: plain}]
    context: {own: [1], word: x}
    rules:
      - {id: size, if: input_size > 5, cores: 8, context: {word: y}}
      - id: mark
        if: user and user.username == 'ann'
        execute: |
          entity.params['owner'] = user.email
          list.append(2)
          own.append(len(own))
      - id: count
        if: "'many' in tool.id"
        execute: |
          entity.params['seen'] = len(list) + len(own)
          entity.params.pop('nested', None)
          entity.mem = 3.0
      - id: tags
        if: "'tag' in tool.id"
        execute: entity.tpv_tags.prefer.append('fast')
      - {id: plain, if: "'plain' in tool.id", params: {extra: '{word}'}, scheduling: {require: [big]}}
  .*gpu.*: {gpus: 1, scheduling: {require: [gpu]}}
  bwa.*: {cores: 4, max_mem: 9}
roles:
  staff.*: {params: {project: staff}, scheduling: {prefer: [big]}}
users:
  ann.*: {max_cores: 6}
destinations:
  default: {abstract: true, runner: slurm}
  small: {max_accepted_cores: 2, params: {queue: small}}
  big:
    scheduling: {accept: [big, fast]}
    params: {queue: 'big{cores}'}
    rules:
      - {id: room, if: entity.gpus or 0 > 0, fail: no room}
      - {id: note, if: "'plain' in tool.id", execute: "entity.params['queue'] = 'noted'"}
  gpu: {scheduling: {require: [gpu]}, max_accepted_mem: 20, resubmit: {again: {condition: memory, destination: '{params["native"]}'}}}
`;

const jobs = fc.record({
  id: fc.constantFrom('bwa', 'many', 'many_tag', 'plain', 'gpu/plain', 'tag_bwa', 'other'),
  user: fc.constantFrom(null, 'ann', 'bob'),
  role: fc.constantFrom('staff_a', 'guest'),
  size: fc.constantFrom(0, 4, 9),
}).map(({ id, user, role, size }): JobDescription => jobOf(id, {
  user: user === null ? null : { email: `${user}@example.org`, username: user },
  roles: [{ name: role }],
  inputs: [{ name: 'input', sizeBytes: size * 1024 ** 3 }],
}));

const without = (answer: object): object => ({ ...answer, trace: [] });

describe('what jobs share', () => {
  test('a job is decided the same whatever jobs came before it', () => {
    const used = rulesOf(BUSY);
    fc.assert(fc.property(jobs, (job) => {
      const fresh = rulesOf(BUSY);
      expect(map(used, job, surroundings)).toEqual(map(fresh, job, surroundings));
      expect(consider(used, job, surroundings)).toEqual(consider(fresh, job, surroundings));
    }), { numRuns: 300 });
  });

  test('a decision without explanation is the one with it, in strict mode and out of it', () => {
    const used = rulesOf(BUSY);
    fc.assert(fc.property(jobs, fc.boolean(), (job, strict) => {
      const told = map(used, job, { ...surroundings, strict });
      const untold = map(used, job, { ...surroundings, strict, explain: false });
      expect(untold).toEqual(without(told));
      expect(untold.trace).toEqual([]);
    }), { numRuns: 300 });
  });

  test('so many different jobs that nothing can be remembered are decided as well', () => {
    const used = rulesOf(BUSY);
    const expected = map(rulesOf(BUSY), jobOf('bwa_1'), surroundings);
    for (let number = 0; number < 6_000; number += 1) map(used, jobOf(`bwa_${number}`), { ...surroundings, explain: false });
    expect(map(used, jobOf('bwa_1'), surroundings)).toEqual(expected);
  });
});

describe('the index of destinations', () => {
  const tags = fc.subarray(['a', 'b', 'c', 'd']);
  const tagSets = fc.record({ require: tags, prefer: tags, accept: tags, reject: tags });
  const limit = fc.option(fc.integer({ min: 0, max: 4 }));
  const destinations = fc.array(
    fc.record({ tags: tagSets, abstract: fc.constantFrom(false, false, true), most: limit, least: limit }), { maxLength: 12 });

  test('finds those against which there is no clause, in their order, ranks them by score, and tells all reasons', () => {
    fc.assert(fc.property(destinations, tagSets, limit, limit, (described, wanted, cores, mem) => {
      const all = described.map(({ tags, abstract, most, least }, index) => {
        const entity = new Entity('destination', `d${index}`);
        entity.abstract = abstract;
        entity.destination = {
          runner: null, name: entity.id, handlerTags: new PyList([]), tags: new TagSet(tags),
          accepted: {
            max_accepted_cores: most, min_accepted_cores: null, max_accepted_mem: null,
            min_accepted_mem: least, max_accepted_gpus: null, min_accepted_gpus: null,
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
      for (let time = 0; time < 2; time += 1) expect(index.inOrder(job.tags, asked)).toEqual(expected);
      const reasons = all.map((destination) => [destination, clausesAgainst(destination, job)]);
      for (let time = 0; time < 2; time += 1) expect([...index.reasons(job.tags, asked)]).toEqual(reasons);
      const ranked = expected.map((destination) => ({ destination, score: destination.scoreOf(job) }));
      expect(index.byScore(job.tags, asked)).toEqual(ranked.sort((a, b) => b.score - a.score));
    }), { numRuns: 1_000 });
  });
});

describe('the index of keys', () => {
  const pieces = fc.constantFrom('a', 'b', 'ab', '.', '.*', 'a*', 'b?', '(a|b)', '[ab]', '^', '$', '|', '\\.', '\\+', '\\w', 'a{2}', 'é', '𝒳', '/');
  const keys = fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(''));
  const texts = fc.array(fc.constantFrom('a', 'b', 'é', '𝒳', '/', '.', '+', '\n'), { maxLength: 6 }).map((parts) => parts.join(''));

  test('finds the keys that match as regular expressions at the start, in their order', () => {
    fc.assert(fc.property(fc.uniqueArray(keys, { maxLength: 8 }), texts, (all, text) => {
      const usable = all.filter(isUsable);
      const expected = usable.filter((key) => new RegExp(compilePattern(key)).test(text));
      const index = new KeyIndex(new Map(usable.map((key) => [key, key])));
      expect(index.matching(text).values).toEqual(expected);
    }), { numRuns: 2_000 });
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
