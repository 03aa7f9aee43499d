import { describe, expect, test } from '@jest/globals';
import { consider, map, parseConsideration, renderTrace } from '../../src/vortex/index.ts';
import type { Candidate, Consideration, JobDescription } from '../../src/vortex/index.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

const SITE = `
global:
  default_inherits: default
  context: {partition: normal}
tools:
  default:
    abstract: true
    cores: 2
    mem: cores * 4
    params: {native: '--cores {cores} --mem {mem} -p {partition}'}
    env: {THREADS: '{cores}'}
    rules:
      - id: too_much
        if: input_size > 100
        fail: Too much data, {input_size} GB
  notebook/.*:
    scheduling: {prefer: [interactive]}
  train/.*:
    gpus: 1
    scheduling: {require: [gpu]}
  huge/.*: {cores: 100, mem: 1000}
destinations:
  local:
    runner: process
    max_accepted_cores: 4
    max_cores: 3
  cluster:
    runner: slurm
    max_accepted_cores: 64
    max_accepted_mem: 256
    min_accepted_cores: 2
    context: {partition: long}
    scheduling: {prefer: [interactive], accept: [gpu]}
  private:
    runner: slurm
    scheduling: {require: [members]}
users:
  .*@members\\.org: {scheduling: {accept: [members]}}
`;

const rules = rulesOf(SITE);

function candidates(job: JobDescription): readonly Candidate[] {
  const answer = consider(rules, job, surroundings);
  return answer.kind === 'considered' ? answer.candidates : [];
}

function stopped(
  text: string,
  job: JobDescription,
): Extract<Consideration, { kind: 'stopped' }>['verdict'] | undefined {
  const answer = consider(rulesOf(text), job, surroundings);
  return answer.kind === 'stopped' ? answer.verdict : undefined;
}

describe('every destination says yes or all of its reasons for no', () => {
  test('a job that fits is evaluated for each destination that can take it, best first', () => {
    const [first, second] = candidates(jobOf('notebook/x'));
    expect(first).toMatchObject({
      kind: 'evaluated',
      destination: 'cluster',
      name: 'cluster',
      runner: 'slurm',
      rank: 0,
      score: 4,
      resources: {
        cores: { value: 2, before: 2 },
        mem: { value: 8, before: 8 },
        gpus: { value: null },
      },
      params: { native: '--cores 2 --mem 8 -p long' },
      env: [{ name: 'THREADS', value: '2' }],
      context: { partition: 'long' },
    });
    expect(second).toMatchObject({
      kind: 'evaluated',
      destination: 'local',
      rank: 1,
      score: 1,
      params: { native: '--cores 2 --mem 8 -p normal' },
    });
  });

  test('a destination that cannot take the job names each clause with its numbers', () => {
    expect(candidates(jobOf('huge/x')).filter(({ kind }) => kind === 'refused')).toEqual([
      {
        kind: 'refused',
        destination: 'local',
        clauses: [{ code: 'above-max-accepted', resource: 'cores', asked: 100, limit: 4 }],
      },
      {
        kind: 'refused',
        destination: 'cluster',
        clauses: [
          { code: 'above-max-accepted', resource: 'cores', asked: 100, limit: 64 },
          { code: 'above-max-accepted', resource: 'mem', asked: 1000, limit: 256 },
        ],
      },
      {
        kind: 'refused',
        destination: 'private',
        clauses: [{ code: 'required-tag-missing', tag: 'members', by: 'destination' }],
      },
    ]);
  });

  test('a tag that the job requires and one that the destination requires are both reported', () => {
    const refused = candidates(jobOf('train/x')).find(
      ({ destination }) => destination === 'private',
    );
    expect(refused).toEqual({
      kind: 'refused',
      destination: 'private',
      clauses: [
        { code: 'required-tag-missing', tag: 'gpu', by: 'job' },
        { code: 'required-tag-missing', tag: 'members', by: 'destination' },
      ],
    });
  });

  test('a user pattern admits the users that it matches', () => {
    const found = candidates(jobOf('x', { user: { email: 'ada@members.org' } })).find(
      ({ destination }) => destination === 'private',
    );
    expect(found?.kind).toBe('evaluated');
  });

  test('a destination that clamps a value below the ask shows both values', () => {
    const asked = jobOf({ id: 'x', requirements: [{ type: 'cores_min', value: 4 }] });
    const local = candidates(asked).find(({ destination }) => destination === 'local');
    expect(local).toMatchObject({ resources: { cores: { value: 3, before: 4, max: 3 } } });
  });

  test('the ask overrides the default tool, and a tool that matches overrides the ask', () => {
    const requirements = [
      { type: 'cores_min', value: 8 } as const,
      { type: 'mem_min', value: 20 } as const,
    ];
    expect(consider(rules, jobOf({ id: 'x', requirements }), surroundings)).toMatchObject({
      demand: { resources: { cores: 8, mem: 20 } },
    });
    expect(consider(rules, jobOf({ id: 'huge/x', requirements }), surroundings)).toMatchObject({
      demand: { resources: { cores: 100, mem: 1000 } },
    });
  });
});

describe('rules that stop a job', () => {
  test("a tool's `fail` is the verdict, with its text evaluated", () => {
    const job = jobOf('x', { inputs: [{ name: 'i', sizeBytes: 150 * 1024 ** 3 }] });
    expect(consider(rules, job, surroundings)).toMatchObject({
      kind: 'stopped',
      verdict: { kind: 'fail', message: 'Too much data, 150.0 GB' },
    });
  });

  test('an abstract tool cannot be run', () => {
    expect(stopped('tools:\n  x: {abstract: true}\n', jobOf('x'))).toMatchObject({
      kind: 'fail',
      message: expect.stringMatching(/^This entity is abstract/),
    });
  });

  test('an error in an expression names the file and line', () => {
    const text = 'tools:\n  x:\n    cores: 2\n    mem: |\n      cores * 2\n      + unknown\n';
    expect(stopped('tools:\n  x:\n    cores: missing * 2\n', jobOf('x'))).toEqual({
      kind: 'error',
      className: 'NameError',
      message: "name 'missing' is not defined",
      place: 'file1.yml:3',
    });
    expect(stopped(text, jobOf('x'))).toMatchObject({
      className: 'NameError',
      place: expect.stringMatching(/^file1\.yml:[56]$/),
    });
  });

  test('a rule that is not Python is an error only when it runs', () => {
    const text = 'tools:\n  x:\n    rules:\n      - {id: r, if: true, cores: 1 +}\n';
    expect(stopped(text, jobOf('x'))).toMatchObject({ kind: 'error', className: 'SyntaxError' });
    expect(stopped(text, jobOf('y'))).toBeUndefined();
  });

  test('tags of tool and user that exclude each other are an error', () => {
    const text =
      'tools:\n  x: {scheduling: {require: [p]}}\nusers:\n  .*: {scheduling: {reject: [p]}}\n';
    expect(stopped(text, jobOf('x', { user: { email: 'a@b.c' } }))).toMatchObject({
      className: 'IncompatibleTagsException',
    });
  });

  test('an expression without end runs out of fuel instead of hanging', () => {
    expect(
      stopped(
        'tools:\n  x:\n    cores: sum(1 for a in range(10**6) for b in range(10**6))\n',
        jobOf('x'),
      ),
    ).toMatchObject({ className: 'FuelExhausted' });
  });

  test("a destination's `fail` is its own verdict, and the others are still evaluated", () => {
    const text =
      'destinations:\n  a: {runner: x, rules: [{if: true, fail: "closed for {tool.id}"}]}\n  b: {runner: y}\n';
    expect(consider(rulesOf(text), jobOf('t'), surroundings)).toMatchObject({
      candidates: [
        { kind: 'stopped', destination: 'a', verdict: { kind: 'fail', message: 'closed for t' } },
        { kind: 'evaluated', destination: 'b' },
      ],
    });
  });
});

describe("TPV's own choice", () => {
  const DEFERRING = `
destinations:
  a:
    runner: x
    rules:
      - if: true
        cores: 7
      - if: true
        execute: |
          from tpv.core.entities import TryNextDestinationOrWait
          raise TryNextDestinationOrWait('busy')
  b: {runner: y, params: {c: '{entity.cores}'}}
`;

  test('a destination that passes the job on leaves nothing behind, but in strict mode', () => {
    const rules = rulesOf(DEFERRING);
    expect(map(rules, jobOf('x'), surroundings)).toMatchObject({
      chosen: { destination: 'b', params: { c: 'None' } },
    });
    expect(map(rules, jobOf('x'), { ...surroundings, strict: true })).toMatchObject({
      chosen: { params: { c: '7' } },
    });
  });

  test('when all are busy the job waits', () => {
    const rules = rulesOf(DEFERRING.replace(/ {2}b: .*/, ''));
    const decision = map(rules, jobOf('x'), surroundings);
    expect(decision).toMatchObject({ kind: 'wait', message: null });
    expect(renderTrace(decision.trace)).toContain("Destination 'a' deferred: busy, trying next...");
    expect(consider(rules, jobOf('x'), surroundings)).toMatchObject({
      candidates: [{ kind: 'stopped', verdict: { kind: 'wait', message: 'busy' } }],
    });
  });

  test('a rank function decides the order, and what it leaves out is reported', () => {
    const rules = rulesOf(`
tools:
  x: {rank: "[d for d in reversed(candidate_destinations) if d.id != 'b']"}
destinations:
  a: {runner: x}
  b: {runner: y}
  c: {runner: z}
`);
    expect(consider(rules, jobOf('x'), surroundings)).toMatchObject({
      candidates: [
        { kind: 'evaluated', destination: 'c', rank: 0 },
        { kind: 'evaluated', destination: 'a', rank: 1 },
        { kind: 'refused', destination: 'b', clauses: [{ code: 'not-ranked' }] },
      ],
    });
  });

  test.each([
    ["float('inf')", 'inf', 'ValueError'],
    ["'a lot'", 'a lot', 'TypeError'],
    ['[1]', [1], 'TypeError'],
  ])(
    'an invalid amount, %s, is passed on as in TPV, and the planner learns that it is invalid',
    (mem, unfit, name) => {
      const rules = rulesOf(`tools:\n  x: {mem: "${mem}"}\ndestinations:\n  a: {runner: x}\n`);
      expect(map(rules, jobOf('x'), surroundings)).toMatchObject({
        chosen: { resources: { mem: { value: null, unfit } } },
      });
      expect(consider(rules, jobOf('x'), surroundings)).toMatchObject({
        verdict: { kind: 'error', className: name },
      });
    },
  );

  test('an invalid amount fails at the first limit that it is compared with', () => {
    const rules = rulesOf(
      'tools:\n  x: {mem: "\'a lot\'"}\ndestinations:\n  a: {runner: x, max_accepted_mem: 4}\n',
    );
    const message = "could not convert string to float: 'a lot'";
    expect(map(rules, jobOf('x'), surroundings)).toMatchObject({
      kind: 'error',
      className: 'ValueError',
      message,
    });
  });
});

describe('state does not leak', () => {
  test("one destination's rules do not change what the next one sees", () => {
    const text = `
tools:
  x: {cores: 2, params: {c: '{cores} {seen}'}, context: {seen: [1]}}
destinations:
  a: {runner: x, rules: [{if: "seen.append(2) or True", cores: 9}]}
  b: {runner: y}
`;
    expect(consider(rulesOf(text), jobOf('x'), surroundings)).toMatchObject({
      candidates: [{ params: { c: '9 [1, 2]' } }, { params: { c: '2 [1]' } }],
    });
  });

  test('the same question has the same answer, however often it is asked', () => {
    const text =
      "global: {context: {seen: []}}\ntools:\n  x: {cores: 'seen.append(1) or len(seen)'}\n" +
      'destinations:\n  a: {runner: x}\n';
    const shared = rulesOf(text);
    const first = consider(shared, jobOf('x'), surroundings);
    expect(consider(shared, jobOf('x'), surroundings)).toEqual(first);
  });

  test('a rule cannot change the loaded rules for later jobs', () => {
    const shared = rulesOf(`
global: {context: {list: [1]}}
tools:
  x:
    unknown_list: [1]
    params: {nested: {list: [1]}}
    context: {own: [1]}
    rules:
      - id: spoil
        if: true
        execute: |
          for found in (list, own, entity.unknown_list, entity.params['nested']['list'], mapper.global_context['list']):
              found.append(2)
          entity.rules['spoil'].params = {'spoilt': 'yes'}
          for other in mapper.destinations.values():
              other.params['spoilt'] = 'yes'
              other.handler_tags.append('spoilt')
              other.tpv_dest_tags.reject.append('tool_type_default')
      - id: show
        if: true
        execute: entity.params['seen'] = [list, own, entity.unknown_list, entity.params['nested']]
    rank: |
      for candidate in candidate_destinations:
          candidate.params['visits'] = candidate.params.get('visits', 0) + 1
      candidate_destinations
destinations:
  a: {runner: x, tags: [h], params: {}, rules: [{if: true, execute: "entity.tpv_tags.accept.append('more')"}]}
`);
    const first = consider(shared, jobOf('x'), surroundings);
    expect(first).toMatchObject({
      candidates: [{ kind: 'evaluated', tags: ['h'], params: { visits: 1 } }],
    });
    expect(consider(shared, jobOf('x'), surroundings)).toEqual(first);
  });

  test('an answer is plain data', () => {
    const answer = consider(rules, jobOf('notebook/x', { user: { email: 'a@b.c' } }), surroundings);
    const read: unknown = JSON.parse(JSON.stringify(answer));
    expect(read).toEqual(answer);
    expect(parseConsideration(read)).toEqual(answer);
  });
});
