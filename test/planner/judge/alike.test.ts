import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeForRules } from '../../../src/planner/considering.ts';
import { judge } from '../../../src/planner/judge/candidate.ts';
import { shortlist } from '../../../src/planner/judge/shortlist.ts';
import { groupedReasons } from '../../../src/planner/reasons.ts';
import type { Refusal } from '../../../src/planner/refusal.ts';
import type { Site } from '../../../src/site/site.ts';
import { Admissions, admissionsOf, loadRules, weigh } from '../../../src/vortex/index.ts';
import { askFor, PLAINLY, siteOf } from '../../harness/asks.ts';
import { gpusOf } from '../../harness/site.ts';

/** What the rules say of a destination, and what the site file says; null: nothing. */
type Drawn = { readonly rules: object | null; readonly site: object | null };

const RULES: readonly object[] = [
  {},
  { max_accepted_cores: 4 },
  { max_accepted_cores: 9, scheduling: { require: ['fast'] } },
  { scheduling: { reject: ['shell'] } },
  { scheduling: { require: ['fast'] } },
  { abstract: true },
];
const SITES: readonly object[] = [
  {},
  { cores: 2, description: 'small' },
  { cores: 2 },
  { 'task-types': [] },
  { arch: 'arm64', cores: 8 },
  { flavours: [{ name: 's', cores: 1, memory: '2GiB' }] },
  gpusOf({ 'urn:gpu': 1 }),
];

const destinations = fc.array(
  fc.record({
    rules: fc.option(fc.constantFrom(...RULES), { freq: 10 }),
    site: fc.option(fc.constantFrom(...SITES), { freq: 10 }),
  }),
  { minLength: 1, maxLength: 40 },
);
type Wanted = { readonly cores: number; readonly memoryGib: number; readonly gpus: number };

const asks: fc.Arbitrary<Wanted> = fc.record({
  cores: fc.constantFrom(1, 3, 20),
  memoryGib: fc.constantFrom(1, 4000),
  gpus: fc.constantFrom(0, 2),
});

/** The refusals of an ask that requires the tag `shell`: by groups, and of each destination alone. */
function refusals(drawn: readonly Drawn[], { gpus, ...wanted }: Wanted) {
  const named = drawn.map((one, index) => [`d${index}`, one] as const);
  const site = siteWith(named);
  const ask = askFor({ ...wanted, ...(gpus > 0 && { gpus }) });
  const rules = {
    tools: { '.*': { scheduling: { accept: ['shell'] } } },
    destinations: Object.fromEntries(
      named.flatMap(([id, one]) =>
        one.rules === null ? [] : [[id, { runner: 'process', ...one.rules }]],
      ),
    ),
  };
  const loaded = loadRules([{ name: 'rules.yml', text: JSON.stringify(rules) }], 'digest');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const job = describeForRules(ask, { kind: 'anonymous' });
  const weighing = weigh(loaded.rules, job, { random: () => 0, now: () => 0 }, null);
  if (weighing.kind !== 'considered' || weighing.sought === null) throw new Error('it is stopped');
  const { sought } = weighing;
  const admissions = new Admissions(admissionsOf(loaded.rules));
  const judged = shortlist(ask, site, weighing).refusals();
  const alone = admissions
    .refused(sought)
    .filter(({ clauses }) => clauses.every(({ code }) => code !== 'destination-abstract'))
    .flatMap((candidate): readonly Refusal[] => {
      const one = judge(ask, site, candidate);
      return one.ok ? [] : one.refusals;
    });
  return {
    byGroups: shortlist(ask, site, weighing, admissions).refusals(),
    ofEach: [...judged, ...alone],
  };
}

function siteWith(named: readonly (readonly [string, Drawn])[]): Site {
  return siteOf(
    Object.fromEntries(named.flatMap(([id, one]) => (one.site === null ? [] : [[id, one.site]]))),
  );
}

describe('a NO of many destinations', () => {
  test('gives the reasons that each destination gives alone, with the same names in order', () => {
    fc.assert(
      fc.property(destinations, asks, (drawn, wanted) => {
        const { byGroups, ofEach } = refusals(drawn, wanted);
        expect(groupedReasons(byGroups, PLAINLY)).toEqual(groupedReasons(ofEach, PLAINLY));
      }),
      { numRuns: 300 },
    );
  });

  test('judges as many destinations as rules and site treat differently', () => {
    const one: Drawn = { rules: { max_accepted_cores: 4 }, site: { cores: 2 } };
    const other: Drawn = { rules: { max_accepted_cores: 4 }, site: { cores: 8 } };
    const drawn = Array.from({ length: 50 }, () => [one, other]).flat();
    const { byGroups } = refusals(drawn, { cores: 20, memoryGib: 1, gpus: 0 });
    expect(
      byGroups.map(({ code, destination, alike }) => `${code} ${destination} ${alike?.length}`),
    ).toEqual([
      'above-max-accepted d0 50',
      'above-capacity d0 50',
      'above-max-accepted d1 50',
      'above-capacity d1 50',
    ]);
  });
});
