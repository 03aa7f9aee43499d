import { describe, expect, test } from '@jest/globals';
import { consider, map } from '../../src/vortex/index.ts';
import type { JobDescription, Rules } from '../../src/vortex/index.ts';
import { jobOf, rulesOf } from './job.ts';

const DESTINATIONS = `
destinations:
  one: { runner: local, scheduling: { accept: [small] } }
  two: { runner: local, scheduling: { accept: [large] } }
`;

function ofUser(email: string, more: Partial<JobDescription> = {}): JobDescription {
  return jobOf('tool', { user: { email, extraPreferences: { site: email } }, ...more });
}

/** The cores that each job gets of one set of rules, asked twice over. */
function coresOf(rules: Rules, jobs: readonly JobDescription[]): readonly unknown[] {
  return [...jobs, ...jobs].map((job) => {
    const answer = map(rules, job, { random: () => 0.5, now: () => 0, explain: false });
    return answer.kind === 'destination' ? answer.chosen.resources.cores.value : answer;
  });
}

/** Rules of a tool whose cores are a text of Python. */
function withCores(...lines: readonly string[]): Rules {
  const cores = lines.map((line) => `      ${line}`).join('\n');
  return rulesOf(`tools:\n  tool:\n    cores: |\n${cores}\n${DESTINATIONS}`);
}

describe('a snippet that loops and only looks', () => {
  test('has the result of what it reads of each job, whoever was asked about before', () => {
    const rules = withCores("sum(1 for c in user.email if c != '@')");
    expect(
      coresOf(
        rules,
        ['a@b', 'long@b', 'a@bcd'].map((email) => ofUser(email)),
      ),
    ).toEqual([2, 5, 4, 2, 5, 4]);
  });

  test('may read other parts of each job', () => {
    const rules = withCores(
      "len([r for r in user.all_roles()]) if user.email == 'b' else len([c for c in tool.id])",
    );
    const roles = [{ name: 'x' }, { name: 'y' }];
    const jobs = [ofUser('a', { roles }), ofUser('b', { roles }), ofUser('b'), jobOf('tool')];
    expect(coresOf(rules, jobs.slice(0, 3))).toEqual([4, 2, 0, 4, 2, 0]);
  });

  test('sees what another snippet of its decision changed', () => {
    const rules = rulesOf(`
tools:
  tool:
    cores: len([key for key in user.extra_preferences.keys()])
    rules:
      - if: user.email == 'b'
        execute: user.extra_preferences['more'] = 1
${DESTINATIONS}`);
    expect(
      coresOf(
        rules,
        ['a', 'b', 'a'].map((email) => ofUser(email)),
      ),
    ).toEqual([1, 2, 1, 1, 2, 1]);
  });

  test('sees the values of its names, which rules set', () => {
    const rules = rulesOf(`
tools:
  tool:
    context: { base: 1 }
    cores: sum(base for d in mapper.destinations.values())
    rules:
      - if: user.email == 'b'
        context: { base: 3 }
${DESTINATIONS}`);
    expect(
      coresOf(
        rules,
        ['a', 'b'].map((email) => ofUser(email)),
      ),
    ).toEqual([2, 6, 2, 6]);
  });

  test('pays for its steps each time', () => {
    const rules = rulesOf(`
tools:
  tool:
    cores: 1
    rules:
${Array.from({ length: 5 }, () => '      - if: sum(1 for n in range(30000)) < 0').join('\n')}
${DESTINATIONS}`);
    const spent = { kind: 'error', className: 'FuelExhausted' };
    expect(coresOf(rules, [ofUser('a'), ofUser('a')])).toMatchObject([spent, spent, spent, spent]);
  });
});

test('rules that a tool inherits and changes are those of each tool, in any order of asking', () => {
  const rules = rulesOf(`
global: { default_inherits: default }
tools:
  default:
    abstract: true
    cores: 1
    rules:
      - { id: more, if: true, cores: 2 }
  a.*:
    rules:
      - { id: more, if: true, cores: 3 }
  b.*: { cores: 7 }
${DESTINATIONS}`);
  const jobs = ['a1', 'b1', 'a2', 'other'].map((id) => jobOf(id));
  expect(coresOf(rules, jobs)).toEqual([3, 2, 3, 2, 3, 2, 3, 2]);
});

describe('a rule that only sets a param', () => {
  /** The same rules with snippets of the given form. */
  const withSets = (set: (key: string, value: string) => string): Rules =>
    rulesOf(`
tools:
  tool:
    cores: 1
    params: { first: 'a', who: nobody }
    rules:
      - { id: r1, if: true, execute: ${JSON.stringify(set('who', 'str(user.id)'))} }
      - { id: r2, if: "entity.params['who'] == '2'", execute: ${JSON.stringify(set('two', "'{cores}'"))} }
      - { id: r3, if: "user.id == 3", execute: ${JSON.stringify(set('no', 'user.missing'))} }
      - { id: r4, if: "user.id == 4", execute: ${JSON.stringify(set('list', '[user.id]'))} }
      - { id: r5, if: true, execute: ${JSON.stringify(set('first', "'a'"))} }
destinations:
  one:
    runner: local
    params: { who: '{entity.id}', last: 'z' }
    rules: [{ if: true, execute: ${JSON.stringify(set('end', 'tool.id'))} }]
`);

  test('has the effect of the same assignment among other statements', () => {
    const [short, long] = [
      withSets((key, value) => `entity.params['${key}'] = ${value}`),
      withSets((key, value) => `made = 0\nentity.params['${key}'] = ${value}`),
    ];
    const ids = [1, 2, 3, 4, 1, 2, 4, 3];
    for (const explain of [true, false]) {
      const [few, many] = [short, long].map((rules) =>
        ids.map((id) => {
          const job = jobOf('tool', { user: { email: 'a', id } });
          const answer = map(rules, job, { random: () => 0.5, now: () => 0, explain });
          return JSON.stringify(answer).replaceAll(/file1.yml:\d+/g, 'file1.yml');
        }),
      );
      expect(few).toEqual(many);
      expect(new Set(few).size).toBe(4);
    }
  });

  test('that runs out of steps is where the answer says', () => {
    const rules = rulesOf(`
tools:
  tool:
    cores: 1
    rules:
      - if: true
        execute: entity.params['n'] = str(len([n for n in range(10**6)]))
${DESTINATIONS}`);
    const answer = map(rules, jobOf('tool'), { random: () => 0.5, now: () => 0 });
    expect(answer).toMatchObject({ className: 'FuelExhausted', place: 'file1.yml:7' });
  });
});

describe('the texts of env and params', () => {
  const rules = rulesOf(`
tools:
  tool:
    cores: input_size
    env: { SIZE: "{cores} of {input_size}", WHO: "{user.email} {user.extra_preferences}" }
    rules:
      - { if: "user.email == 'b'", execute: "user.extra_preferences['more'] = 1" }
destinations:
  one: { runner: local, cores: 2, max_cores: 8 }
  two: { runner: local, cores: 3, env: { ODD: "{random.random()}", NAME: "{dest_name}" } }
`);

  function envOf(email: string, gigabytes: number): unknown {
    const inputs = [{ name: 'i', sizeBytes: gigabytes * 1024 ** 3 }];
    const answer = consider(rules, ofUser(email, { inputs }), { random: () => 0.5, now: () => 0 });
    if (answer.kind !== 'considered') throw new Error(JSON.stringify(answer));
    const [first] = answer.candidates;
    return first?.kind === 'evaluated' ? first.env : first;
  }

  test('are those of each job and destination, whoever was asked about before', () => {
    const asked = [
      ['a', 1],
      ['b', 1],
      ['a', 2],
    ] as const;
    const told = asked.map(([email, size]) => envOf(email, size));
    expect(told).toEqual([
      [
        { name: 'SIZE', value: '2 of 1.0' },
        { name: 'WHO', value: "a {'site': 'a'}" },
      ],
      [
        { name: 'SIZE', value: '2 of 1.0' },
        { name: 'WHO', value: "b {'site': 'b', 'more': 1}" },
      ],
      [
        { name: 'SIZE', value: '2 of 2.0' },
        { name: 'WHO', value: "a {'site': 'a'}" },
      ],
    ]);
    expect(asked.map(([email, size]) => envOf(email, size))).toEqual(told);
  });
});

test('a text of env that loops is that of each user, and sees what rules changed', () => {
  const rules = rulesOf(`
tools:
  tool:
    env: { WHO: "{[c for c in user.email]} {[k for k in user.extra_preferences.keys()]}" }
    rules:
      - { if: "user.email == 'b'", execute: "user.extra_preferences['more'] = 1" }
destinations:
  one: { runner: local }
`);
  const env = (email: string, name: string): unknown => {
    const job = jobOf('tool', { user: { email, extraPreferences: { [name]: '1' } } });
    const answer = consider(rules, job, { random: () => 0.5, now: () => 0 });
    if (answer.kind !== 'considered') throw new Error(JSON.stringify(answer));
    const [first] = answer.candidates;
    return first?.kind === 'evaluated' ? first.env.map(({ value }) => value) : first;
  };
  const asked = [
    ['a', 'x'],
    ['c', 'y'],
    ['b', 'x'],
    ['a', 'y'],
  ] as const;
  const told = asked.map(([email, name]) => env(email, name));
  expect(told).toEqual([
    ["['a'] ['x']"],
    ["['c'] ['y']"],
    ["['b'] ['x', 'more']"],
    ["['a'] ['y']"],
  ]);
  expect(asked.map(([email, name]) => env(email, name))).toEqual(told);
});
