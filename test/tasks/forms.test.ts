import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { BUILT_IN_TYPES } from '../../src/tasks/registry.ts';

const POLICY = { allowHosts: [], fileRoots: [], registries: ['quay.io'] };
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
addFormats.default(ajv);

const EXAMPLES = BUILT_IN_TYPES.flatMap((type) => {
  const example = type.form.example(POLICY);
  return example === undefined ? [] : [{ ...type, example }];
});

describe('the form of a task type', () => {
  test.each(BUILT_IN_TYPES)('of $name knows the keys that its reader knows', ({ form, parse }) => {
    const parsed = parse({ zzzzzzzz: 1 }, POLICY);
    const texts = parsed.ok ? [] : parsed.problems.map(({ text }) => text);
    const told = /it knows (.+)$/.exec(texts.join('\n').split('\n')[0] ?? '')?.[1]?.split(', ');
    expect(Object.keys(Object(form.schema).properties).toSorted()).toEqual(told?.toSorted());
    expect(ajv.compile(form.schema)({ zzzzzzzz: 1 })).toBe(false);
  });

  test.each(EXAMPLES)('of $name has an example that fits, and that is read', (type) => {
    expect(ajv.validate(type.form.schema, type.example)).toBe(true);
    expect(type.parse(type.example, POLICY)).toMatchObject({ ok: true, task: { type: type.name } });
  });

  test('has examples of all types but charts, and of containers only where the site allows one', () => {
    expect(EXAMPLES.map(({ name }) => name)).toEqual(
      BUILT_IN_TYPES.map(({ name }) => name).filter((name) => name !== 'helm-chart'),
    );
    const container = BUILT_IN_TYPES.find(({ name }) => name === 'oci-container');
    expect(container?.form.example({ ...POLICY, registries: ['quay.io/astro'] })).toBeUndefined();
  });
});
