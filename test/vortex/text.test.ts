import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { map, mapText } from '../../src/vortex/index.ts';
import { BUSY, jobs } from './busy.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

describe('the text of a decision', () => {
  test('is the JSON of the decision, with its explanation and without', () => {
    const rules = rulesOf(BUSY);
    fc.assert(
      fc.property(jobs, fc.boolean(), fc.boolean(), (job, strict, explain) => {
        const asked = { ...surroundings, strict, explain };
        expect(mapText(rules, job, asked)).toBe(JSON.stringify(map(rules, job, asked)));
      }),
      { numRuns: 300 },
    );
  });

  const awkward = fc.constantFrom(
    '"',
    '\\\\',
    '\n',
    '\u0001',
    '\u2028',
    'é',
    '𝒳',
    '\ud83d',
    '{tool.id}',
    '1',
    'plain',
  );
  const texts = fc.array(awkward, { maxLength: 3 }).map((parts) => parts.join(''));
  const keys = fc.oneof(texts, fc.constantFrom('10', '2', '007', 'a b', 'toString'));
  const leaves = fc.oneof(texts, fc.constantFrom(1, 2.5, -3, true, null));
  const values = fc.oneof(
    leaves,
    fc.array(leaves, { maxLength: 3 }),
    fc.dictionary(keys, leaves, { maxKeys: 3 }),
  );
  const entries = fc.dictionary(fc.constantFrom('name', 'value', 'file', 'execute'), texts, {
    minKeys: 1,
  });

  test('is that for any characters, keys and nested values in params, env and resubmit', () => {
    fc.assert(
      fc.property(
        fc.dictionary(keys, values, { maxKeys: 4 }),
        fc.array(entries, { maxLength: 3 }),
        fc.dictionary(keys, fc.dictionary(keys, texts, { maxKeys: 2 }), { maxKeys: 2 }),
        (params, env, resubmit) => {
          const rules = rulesOf(
            JSON.stringify({
              tools: { x: { params, env, resubmit, cores: 2 } },
              destinations: { d: { runner: 'r', tags: ['{tool.id}'] } },
            }),
          );
          const job = jobOf('x');
          const decision = map(rules, job, { ...surroundings, explain: false });
          expect(mapText(rules, job, { ...surroundings, explain: false })).toBe(
            JSON.stringify(decision),
          );
          // The second time the template is filled that was made the first time.
          expect(mapText(rules, job, { ...surroundings, explain: false })).toBe(
            JSON.stringify(decision),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('has invalid amounts, like the decision', () => {
    const rules = rulesOf(
      'tools: {x: {mem: "\'much\'", cores: 0.1 + 0.2, gpus: "-0.0"}}\ndestinations: {d: {runner: r}}',
    );
    const text = mapText(rules, jobOf('x'), surroundings);
    expect(text).toBe(JSON.stringify(map(rules, jobOf('x'), surroundings)));
    expect(text).toContain('"unfit":"much"');
  });
});

/**
 * A rank function and a rule that spoil the destinations they are given, for jobs of some tools.
 */
const SPOILING = `
tools:
  default:
    rank: |
      seen = [
          (d.id, d.params.get('weight'), len(d.tpv_dest_tags.accept), d.max_accepted_cores)
          for d in candidate_destinations
      ]
      if 'spoil' in tool.id:
          for d in candidate_destinations:
              d.params['weight'] = 99
              d.max_accepted_cores = 1
              d.tpv_dest_tags.accept.append('spoiled')
          candidate_destinations.reverse()
      candidate_destinations
    context: {seen: null}
    rules:
      - id: look
        if: "True"
        execute: |
          entity.params['known'] = ' '.join(
              str((k, d.id, d.runner, sorted(d.params or {})))
              for k, d in mapper.destinations.items()
          )
          if 'replace' in tool.id:
              mapper.destinations['one'] = mapper.destinations['two']
          if 'add' in tool.id:
              mapper.destinations['three'] = None
          if 'drop' in tool.id:
              mapper.destinations.pop('one')
          if 'change' in tool.id:
              mapper.destinations['two'].params['left'] = 'over'
global: {default_inherits: default}
destinations:
  one: {runner: a, params: {weight: 1, ranked: '{seen}'}, max_accepted_cores: 8}
  two: {runner: b, params: {weight: 2, ranked: '{seen}'}, scheduling: {accept: [x]}}
`;

describe('destinations in the hands of rules', () => {
  test.each(['spoil', 'replace', 'add', 'drop', 'change'])(
    'changes of a job to them (%s) end with the job',
    (harm) => {
      const fresh = map(rulesOf(SPOILING), jobOf('calm'), surroundings);
      expect(fresh).toMatchObject({ kind: 'destination', chosen: { name: 'one' } });
      const used = rulesOf(SPOILING);
      const decisions = [harm, 'calm', harm, harm, 'calm'].map((tool) =>
        map(used, jobOf(tool), surroundings),
      );
      expect(decisions.map(({ kind }) => kind)).toEqual(
        Array.from({ length: 5 }, () => 'destination'),
      );
      expect([decisions[1], decisions[4]]).toEqual([fresh, fresh]);
    },
  );

  test('a job sees its own changes to them', () => {
    expect(map(rulesOf(SPOILING), jobOf('spoil'), surroundings)).toMatchObject({
      chosen: { name: 'two' },
    });
  });
});
