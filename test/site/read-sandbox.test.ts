import { expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';

/** What a site says of the sandbox of its rules, or its faults. */
function read(sandbox: string): unknown {
  const here = '{ runner: process, task-types: [executable], cores: 8, memory: 8GiB }';
  const text = `sandbox: ${sandbox}\nrules: [r.yml]\ndestinations: { here: ${here} }\n`;
  const reading = readSite('/etc/planner/site.yml', text);
  return reading.ok ? reading.site.sandbox : reading.problems.map(({ message }) => message);
}

test('rules are held where that works, and compiled only there, if the site says nothing', () => {
  expect(read('{}')).toEqual({
    isolation: 'preferred',
    jit: 'enclosed',
    decisionMs: 200,
    memoryMb: 64,
  });
});

test.each([
  ['true', 'always'],
  ['false', 'never'],
])('a site says when rules are compiled: %s', (written, jit) => {
  expect(read(`{ jit: ${written}, isolation: required }`)).toMatchObject({
    jit,
    isolation: 'required',
  });
});

test('another word is a fault that names those that there are', () => {
  expect(read('{ isolation: requiered }')).toEqual([
    "sandbox.isolation must be one of required, preferred, none, not the string 'requiered'",
  ]);
});
