import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Admissions, admissionsOf, consider, parseJob, weigh } from '../../src/vortex/index.ts';
import type {
  Admission,
  Candidate,
  Consideration,
  JobDescription,
  Rules,
  WeighedCandidate,
  Weighing,
} from '../../src/vortex/index.ts';
import { parseWeighing } from '../../src/vortex/decision-parse.ts';
import { BUSY, jobs } from './busy.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

/** As it comes out of the sandbox. */
function weighed(rules: Rules, job: JobDescription, most: number | null): Weighing {
  return parseWeighing(JSON.parse(JSON.stringify(weigh(rules, job, surroundings, most))));
}

/** What both ways of asking come to. */
type Come = {
  readonly trace: readonly unknown[];
  readonly end: unknown;
  readonly all: readonly unknown[];
  readonly inOrder: readonly unknown[];
};

function ofConsideration(whole: Consideration): Come {
  const candidates = whole.kind === 'considered' ? whole.candidates : [];
  return {
    trace: whole.trace,
    end: whole.kind === 'stopped' ? whole.verdict : whole.kind,
    all: sorted(candidates),
    inOrder: shown(candidates.filter(isTried)),
  };
}

/**
 * Those that do not match come in another order: by the files, and then
 * those that the rules left out.
 */
function sorted(candidates: readonly (Candidate | WeighedCandidate)[]): readonly unknown[] {
  return shown(candidates.toSorted((a, b) => (a.destination < b.destination ? -1 : 1)));
}

function shown(candidates: readonly (Candidate | WeighedCandidate)[]): readonly unknown[] {
  return candidates.map((one) =>
    one.kind !== 'evaluated'
      ? one
      : {
          kind: one.kind,
          destination: one.destination,
          rank: one.rank,
          score: one.score,
          resources: one.resources,
        },
  );
}

function isTried({ kind }: Candidate | WeighedCandidate): boolean {
  return kind !== 'refused';
}

function ofWeighing(rules: Rules, weighing: Weighing): Come {
  const trace = admissions(rules).told(weighing.trace);
  if (weighing.kind === 'stopped') return { trace, end: weighing.verdict, all: [], inOrder: [] };
  const others = weighing.sought === null ? [] : admissions(rules).refused(weighing.sought);
  return {
    trace,
    end: weighing.kind,
    all: sorted([...weighing.candidates, ...others]),
    inOrder: shown(weighing.candidates.filter(isTried)),
  };
}

function admissions(rules: Rules): Admissions {
  const list: readonly Admission[] = JSON.parse(JSON.stringify(admissionsOf(rules)));
  return new Admissions(list);
}

const RANKED = `
tools:
  left: {rank: "candidate_destinations[1:]"}
  twice: {rank: "list(candidate_destinations) + list(candidate_destinations)"}
  odd: {rank: "[d for d in candidate_destinations if d.id == 'c']"}
  text: {cores: "'many'"}
  infinite: {mem: "float('inf')"}
  nothing: {cores: "float('nan')"}
  broken: {rank: "1 / 0"}
destinations:
  a: {runner: x, max_accepted_cores: 2}
  b: {runner: x, min_accepted_mem: 1, max_accepted_mem: 9, scheduling: {accept: [t], reject: null}}
  c: {runner: x, min_accepted_gpus: 1}
  d: {runner: x, scheduling: {require: [t]}, rules: [{if: 'True', fail: never}]}
  e: {runner: x, rules: [{if: 'True', fail: full}]}
`;

describe('a weighing', () => {
  test('of all that match agrees with considering every destination, step by step', () => {
    const rules = rulesOf(BUSY);
    fc.assert(
      fc.property(jobs, (job) => {
        expect(ofWeighing(rules, weighed(rules, job, null))).toEqual(
          JSON.parse(JSON.stringify(ofConsideration(consider(rules, job, surroundings)))),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('copes with rank functions that omit or repeat, invalid amounts, and broken rules', () => {
    const rules = rulesOf(RANKED);
    for (const tool of ['plain', 'left', 'twice', 'odd', 'infinite', 'nothing', 'broken']) {
      const job = parseJob({
        tool: { id: tool, requirements: [{ type: 'cores_min', value: 3 }] },
        user: null,
        roles: [],
        inputs: [],
      });
      for (const one of [job, jobOf(tool)]) {
        expect(ofWeighing(rules, weighed(rules, one, null))).toEqual(
          JSON.parse(JSON.stringify(ofConsideration(consider(rules, one, surroundings)))),
        );
      }
    }
    expect(weighed(rules, jobOf('text'), null)).toMatchObject({
      kind: 'stopped',
      verdict: { className: 'ValueError' },
    });
  });

  test('that ends with an amount that is no number tells where that stands', () => {
    const rules = rulesOf(
      "tools:\n  text: {cores: 1, mem: \"'much'\"}\n  nan: {cores: float('nan')}\n" +
        "  ruled:\n    rules:\n    - if: true\n      gpus: str(2) + '!'\n  plain: {mem: 1}\n",
      "destinations:\n  d:\n    runner: r\n    cores: float('inf')\n",
    );
    const place = (tool: string): unknown => weighed(rules, jobOf(tool), null);
    const stopped = (place: string) => ({ kind: 'stopped', verdict: { place } });
    expect(place('text')).toMatchObject(stopped('file1.yml:2'));
    expect(place('nan')).toMatchObject(stopped('file1.yml:3'));
    expect(place('ruled')).toMatchObject(stopped('file1.yml:7'));
    expect(place('plain')).toMatchObject({
      candidates: [{ destination: 'd', ...Object(stopped('file2.yml:4')) }],
    });
  });

  test('of a few is the beginning of the weighing of all, and says whether there are more', () => {
    const rules = rulesOf(RANKED);
    const all = weighed(rules, jobOf('plain'), null);
    if (all.kind !== 'considered') throw new Error(all.kind);
    const matching = all.candidates.filter(({ kind }) => kind !== 'refused');
    expect(matching.length).toBeGreaterThan(2);
    for (let most = 1; most <= matching.length + 1; most += 1) {
      const few = weighed(rules, jobOf('plain'), most);
      expect(few).toMatchObject({
        kind: 'considered',
        isWhole: most >= matching.length,
        candidates: matching.slice(0, most),
        sought: all.sought,
      });
      expect(all.trace.slice(0, 4)).toEqual(few.trace.slice(0, 4));
    }
  });
});
