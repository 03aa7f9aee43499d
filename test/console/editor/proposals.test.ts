import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { knownOf } from '../../../src/console/editor/known.ts';
import { proposalsAt } from '../../../src/console/editor/proposals.ts';
import { root } from '../../harness/import-graph.ts';

const TYPE = 'https://example.org/task-type/executable';
const SITE = {
  kinds: [
    {
      type: TYPE,
      title: 'Program of the machine',
      schema: {
        type: 'object',
        properties: {
          command: { type: 'array', items: { type: 'string' } },
          network: { anyOf: [{ enum: ['none', 'outbound'] }, { type: 'object' }] },
          privileged: { const: false },
        },
      },
    },
  ],
  gpuTypes: ['nvidia/a100', 'true'],
  architectures: ['amd64', 'arm64'],
};
const contract: unknown = load(readFileSync(join(root, 'api/openapi.yaml'), 'utf8'));
const SCHEMAS = { named: Object(contract).components.schemas, known: knownOf(SITE, TYPE) };
const COMPUTE = 'resources:\n  compute:\n  - ';

function labels(marked: string): readonly string[] | undefined {
  return proposed(marked)?.list.map(({ label }) => label);
}

/** The text after the first proposal was taken. */
function taken(marked: string): string {
  const found = proposed(marked);
  const text = marked.replace('^', '');
  const [first] = found?.list ?? [];
  return found === undefined || first === undefined
    ? text
    : text.slice(0, found.from) + first.insert + text.slice(found.to);
}

function proposed(marked: string) {
  const cursor = marked.indexOf('^');
  return proposalsAt(marked.replace('^', ''), cursor, SCHEMAS);
}

describe('what is possible at a place', () => {
  test('keys that the contract has and the text has not, the nearest first', () => {
    expect(labels('^')).toEqual(['name', 'task', 'resources', 'time', 'datetime', 'costs']);
    expect(labels('task:\n  type: x\n^')).toEqual([
      'name',
      'resources',
      'time',
      'datetime',
      'costs',
    ]);
    expect(labels('t^')).toEqual(['task', 'time', 'datetime', 'costs']);
    expect(labels(`${COMPUTE}min-cores: 1\n    mi^`)).toEqual(['min-memory']);
    expect(labels('resources:\n  compute: [{min-c^')).toEqual(['min-cores']);
    expect(labels('time:\n  start: now\n  ^')).toEqual([
      'duration',
      'min-duration',
      'max-duration',
      'minduration',
      'maxduration',
    ]);
    expect(labels('time:\n- st^')).toEqual(['start']);
  });

  test('the site says what the details of a task are, and which machines there are', () => {
    expect(labels('task:\n  type: ^')).toEqual([TYPE]);
    expect(proposed('task:\n  type: ^')?.list[0]?.about).toBe('Program of the machine');
    expect(labels('task:\n  spec:\n    ^')).toEqual(['command', 'network', 'privileged']);
    expect(labels('task:\n  spec:\n    network: ^')).toEqual(['none', 'outbound']);
    expect(labels(`${COMPUTE}arch: ^`)).toEqual(['amd64', 'arm64']);
    expect(labels(`${COMPUTE}gpu: {type: nv^`)).toEqual(['nvidia/a100']);
  });

  test('the key that surrounds an ask does not count', () => {
    expect(labels('request:\n  task:\n    sp^')).toEqual(['spec']);
    expect(labels('{"request": {"resources": {"^')).toEqual(['compute', 'storage']);
  });

  test('nothing where nothing is known, or where YAML wants a space first', () => {
    for (const text of [
      'name: ^',
      'other:\n  ^',
      'task:^',
      `${COMPUTE}arch:^`,
      'resources:\n  compute:\n  -^',
      'task^:\n  type: x',
      `${COMPUTE}arch: amd64^`,
    ])
      expect(labels(text)).toBeUndefined();
  });

  test('a choice writes what belongs to it', () => {
    expect(taken('ta^')).toBe('task:\n  ');
    expect(taken('resources:\n  co^')).toBe('resources:\n  compute:\n    - ');
    expect(taken('resources:\n  compute:\n    min-c^')).toBe(
      'resources:\n  compute:\n    - min-cores: ',
    );
    expect(taken(`${COMPUTE}gp^`)).toBe(`${COMPUTE}gpu:\n      `);
    expect(taken(`${COMPUTE}min^: 1`)).toBe(`${COMPUTE}min-cores: 1`);
    expect(taken('{"ta^')).toBe('{"task": ');
    expect(taken('{"ta^": 1}')).toBe('{"task": 1}');
    expect(taken(`${COMPUTE}arch: ar^m`)).toBe(`${COMPUTE}arch: arm64`);
    expect(taken('{"resources": {"compute": [{"arch": "arm^"}]}}')).toBe(
      '{"resources": {"compute": [{"arch": "arm64"}]}}',
    );
    // YAML would read the value of truth.
    expect(taken(`${COMPUTE}gpu: {type: tr^}`)).toBe(`${COMPUTE}gpu: {type: "true"}`);
    expect(taken('task: {spec: {privileged: ^}}')).toBe('task: {spec: {privileged: false}}');
  });

  test('says one sentence of the contract about a key', () => {
    expect(proposed('resources:\n  compute:\n  - repl^')?.list[0]?.about).toBe(
      'Number of equal machines',
    );
  });
});
