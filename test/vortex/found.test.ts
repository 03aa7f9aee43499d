import { describe, expect, test } from '@jest/globals';
import { loadRules, map } from '../../src/vortex/index.ts';
import type { Decision, JobDescription } from '../../src/vortex/index.ts';

/*
 * What the comparison with the real TPV found
 * (test/conformance/fuzz/README.md), each in the smallest form.
 */

const job: JobDescription = {
  tool: { id: 'x', requirements: [] },
  user: null,
  roles: [],
  inputs: [],
};

function params(...texts: readonly string[]): unknown {
  const decision = decide(...texts);
  return decision.kind === 'destination' ? decision.chosen.params : decision;
}

function decide(...texts: readonly string[]): Decision {
  const loaded = loadRules(texts.map((text, index) => ({ name: `${index}.yml`, text })));
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return map(loaded.rules, job, { random: () => 0, now: () => 0 });
}

function refusal(...texts: readonly string[]): string | undefined {
  const loaded = loadRules(texts.map((text, index) => ({ name: `${index}.yml`, text })));
  return loaded.ok ? undefined : loaded.problems[0]?.code;
}

const D = 'destinations: {d: {runner: r}}\n';

describe('rules in a mapping', () => {
  test('have generated ids: a later file replaces the rule of the same key, without a merge', () => {
    const first = `tools: {x: {rules: {r: {if: true, params: {a: '1'}}}}}\n${D}`;
    expect(params(first, "tools: {x: {rules: {r: {if: true, params: {b: '2'}}}}}\n")).toEqual({
      b: '2',
    });
    const named = first.replace('{if', '{id: r, if');
    expect(
      params(named, "tools: {x: {rules: {r: {id: r, if: true, params: {b: '2'}}}}}\n"),
    ).toEqual({ a: '1', b: '2' });
  });
});

describe('a later file', () => {
  test('with an empty default_inherits leaves the one of the files before', () => {
    const first = `global: {default_inherits: default}\ntools: {default: {params: {a: '1'}}}\n${D}`;
    expect(params(first, "global: {default_inherits: ''}\n")).toEqual({ a: '1' });
  });
});

describe('exceptions', () => {
  const raising = (code: string): Decision =>
    decide(`tools: {x: {rules: [{if: true, execute: ${JSON.stringify(code)}}]}}\n${D}`);

  test('take their texts by name, and a subclass is caught as its base class', () => {
    const from = 'from galaxy.jobs.mapper import JobNotReadyException, JobMappingException\n';
    expect(raising(`${from}raise JobNotReadyException(message='later')`)).toMatchObject({
      kind: 'wait',
      message: 'later',
    });
    expect(raising(`${from}raise JobMappingException(failure_message='no')`)).toMatchObject({
      kind: 'fail',
      message: 'no',
    });
    expect(
      raising(`${from}class Own(JobMappingException):\n    pass\nraise Own('mine')`),
    ).toMatchObject({ kind: 'fail', message: 'mine' });
  });

  test('named TryNext... escape where no destination is being tried', () => {
    const from = 'from tpv.core.entities import TryNextDestinationOrWait\n';
    expect(raising(`${from}raise TryNextDestinationOrWait('x')`)).toMatchObject({
      kind: 'error',
      className: 'TryNextDestinationOrWait',
    });
  });
});

test('an abstract entity is shown with all its properties, as pydantic prints them', () => {
  expect(decide(`tools: {x: {abstract: true, cores: 2.0}}\n${D}`)).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining(
      "mapped : id='x' abstract=True inherits=None cores=2.0 mem=None gpus=None min_cores",
    ),
  });
});

test('an empty destination_name_override is none, and true in a handler of resubmit is 1', () => {
  const decision = decide(
    "destinations: {d: {runner: r, destination_name_override: '', resubmit: {a: {n: true}}}}\n",
  );
  expect(decision).toMatchObject({
    kind: 'destination',
    chosen: { name: 'd', resubmit: [{ n: 1 }] },
  });
});

test('TPV shows no step of a destination whose exception ends the mapping', () => {
  const decision = decide(
    'destinations: {d: {runner: r, rules: [{if: true, execute: "entity.params[\'k\'] = 1"}]}}\n',
  );
  expect(decision).toMatchObject({ kind: 'error', className: 'TypeError' });
});

describe('files are refused for the fault at which TPV stops first', () => {
  test.each([
    [
      'a body that is a list before any value that is wrong',
      'tools: {a: {cores: [1]}, b: [1]}\n',
      'AttributeError',
    ],
    [
      'a value that is wrong before Python that is none',
      "tools: {a: {mem: '1 +'}, b: {cores: [1]}}\n",
      'ValidationError',
    ],
    ['no Python at all', "tools: {a: {mem: ''}}\n", 'IndexError'],
    ['a rule of a list that is a number', 'tools: {a: {rules: [5]}}\n', 'TypeError'],
    ['an empty rule of a mapping', 'tools: {a: {rules: {r: }}}\n', 'ValidationError'],
  ])('%s', (_what, text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  test('earlier files are merged before a file that cannot be read', () => {
    expect(refusal('tools: {a: {inherits: gone}}\n', 'tools: [1\n')).toBe('InvalidParentException');
  });
});

test.each([
  ['an attribute of a Bunch that is None', 'util.bunch.Bunch(a=None).a is None', 'True'],
  ['a Bunch as a dict', 'util.bunch.Bunch(a=1).dict()', "{'a': 1}"],
  ['a list of its own', 'util.listify(given) is not given and util.listify(given)', '[1]'],
  ['text without a comma as it is', "util.listify(' a ', do_strip=True)", "[' a ']"],
  [
    'a size in the middle rounded to even',
    'util.nice_size(1280) + util.nice_size(1408)',
    '1.2 KB1.4 KB',
  ],
])('galaxy.util has %s', (_what, python, expected) => {
  const code = [
    'from galaxy import util',
    'given = [1]',
    `shown = str(${python}).replace('{', '{{').replace('}', '}}')`,
    "entity.params = {'shown': shown + ' '}",
  ].join('\n');
  const rules = `tools: {x: {rules: [{if: true, execute: ${JSON.stringify(code)}}]}}\n${D}`;
  expect(params(rules)).toEqual({ shown: `${expected} ` });
});
