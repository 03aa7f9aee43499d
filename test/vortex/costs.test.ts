import { describe, expect, test } from '@jest/globals';
import { consider, summarize, type JobDescription } from '../../src/vortex/index.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

const EURO = 'urn:example:euro';
const GRAMS = 'urn:example:co2';
function ratesOf(core: number, job: number, type = EURO) {
  return { type, core, mem: 0.5, gpu: 10, job };
}
const COSTS: NonNullable<JobDescription['costs']> = {
  defaults: { cores: 2, mem: 4 },
  rates: [
    { destinations: ['a'], rates: [ratesOf(3, 0), ratesOf(1, 0, GRAMS)] },
    { destinations: ['b', 'c'], rates: [ratesOf(1, 8), ratesOf(2, 0, GRAMS)] },
  ],
};

describe('the helper cost', () => {
  test('is the amounts of the job by the hour, and the sum for each job', () => {
    expect(order('helpers.cost', 'cores: 2\n    mem: 2')).toEqual([
      'a 7.0',
      'b 11.0',
      'c 11.0',
      'd inf',
    ]);
    expect(order('helpers.cost', 'cores: 6\n    mem: 2\n    gpus: 1')).toEqual([
      'b 25.0',
      'c 25.0',
      'a 29.0',
      'd inf',
    ]);
  });

  test('counts amounts that are expressions, and the defaults of the site for those that are not set', () => {
    expect(order('helpers.cost', 'cores: 3\n    mem: cores * 2')[0]).toBe('a 12.0');
    expect(order('helpers.cost', 'context: {}')[0]).toBe('a 8.0');
  });

  test('has other types by their names', () => {
    const grams = `lambda d: helpers.cost(d.id, type='${GRAMS}')`;
    expect(order(grams, 'cores: 2\n    mem: 0')).toEqual(['a 2.0', 'b 4.0', 'c 4.0', 'd inf']);
    expect(order("lambda d: helpers.cost(d, 'urn:shells')", 'cores: 2')[0]).toBe('a inf');
  });

  test('is infinite where nobody says what a job costs', () => {
    expect(order('helpers.cost', 'cores: 2', {})[0]).toBe('a inf');
  });

  test('does not know the job before it is compared with destinations', () => {
    const rules = rulesOf(
      "tools: {x: {rules: [{if: helpers.cost('a') > 1}]}}\ndestinations: {a: {runner: r}}",
    );
    expect(consider(rules, jobOf('x', { costs: COSTS }), surroundings)).toMatchObject({
      kind: 'stopped',
      verdict: { kind: 'error', className: 'ValueError' },
    });
  });

  test('is read only by rules that name it', () => {
    const told = (rank: string) =>
      summarize(rulesOf(`tools: {x: {rank: ${rank}}}\ndestinations: {a: {runner: r}}`)).readsCosts;
    expect(told('candidate_destinations')).toBe(false);
    expect(told('"sorted(candidate_destinations, key=helpers.cost)"')).toBe(true);
  });
});

/** The destinations in the order of a key function, each with its cost. */
function order(
  key: string,
  tool: string,
  more: Partial<JobDescription> = { costs: COSTS },
): readonly string[] {
  const rules = rulesOf(`tools:
  x:
    ${tool}
    rank: |
      from galaxy.jobs.mapper import JobMappingException
      key = ${key}
      best = sorted(candidate_destinations, key=key)
      def told(text):
          raise JobMappingException(text)
      told(' '.join(d.id + '=' + str(key(d)) for d in best))
destinations: {a: {runner: r}, b: {runner: r}, c: {runner: r}, d: {runner: r}}
`);
  const decision = consider(rules, jobOf('x', more), surroundings);
  const text = decision.kind === 'stopped' ? Object(decision.verdict).message : '';
  return String(text)
    .split(' ')
    .map((one) => one.replace('=', ' '));
}
