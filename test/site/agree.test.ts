import { describe, expect, test } from '@jest/globals';
import { compareWithRules } from '../../src/site/agree.ts';
import { readSite } from '../../src/site/read.ts';
import { summarize } from '../../src/vortex/index.ts';
import { rulesOf } from '../vortex/job.ts';

const reading = readSite(
  '/etc/planner/site.yml',
  'rules: [rules.yml]\ndestinations: {here: {runner: process, task-types: [executable], cores: 8, memory: 8GiB}}\n',
);
function said(rules: object): readonly string[] {
  if (!reading.ok) throw new Error('the site file cannot be read');
  return compareWithRules(
    reading.site,
    summarize(rulesOf(JSON.stringify({ destinations: { here: { runner: 'process' } }, ...rules }))),
  ).map(({ severity, message }) => `${severity}: ${message}`);
}
const pools = { everything: { max_concurrent_cores: 32 } };

describe('a destination that no rule file has', () => {
  test('is told with the one that was meant, if its name is a slip of that', () => {
    expect(said({ destinations: { heer: {}, other: {} } })).toContain(
      "error: destination 'here' of the site file is in no rule file; the rule files have heer, " +
        "other (did you mean 'heer'?)",
    );
    expect(said({ destinations: { elsewhere: {} } })).toContain(
      "error: destination 'here' of the site file is in no rule file; the rule files have elsewhere",
    );
  });
});

describe('the store of resource pools', () => {
  test("is the planner's book, and rule files that say so agree with every site file", () => {
    expect(
      said({ global: { resource_pool_store: { class: 'execution-planner' } }, pools }),
    ).toEqual([]);
  });

  test.each([
    [
      'tpv.core.resource_pool.ValkeyAllocationStore',
      { class: 'tpv.core.resource_pool.ValkeyAllocationStore', url: 'valkey://localhost:6379/0' },
    ],
    ['tpv.core.resource_pool.ValkeyAllocationStore', { url: 'redis://localhost' }],
    [
      'tpv.core.resource_pool.InMemoryAllocationStore',
      { class: 'tpv.core.resource_pool.InMemoryAllocationStore' },
    ],
  ])('is not %s, and the refusal says what to write in its place', (name, store) => {
    expect(said({ global: { resource_pool_store: store }, pools })).toEqual([
      expect.stringMatching(
        new RegExp(
          '^error: file1\\.yml:1: the store of resource pools is ' +
            `${name.replaceAll('.', '\\.')}, .* write "class: execution-planner" there`,
        ),
      ),
    ]);
  });

  test('does not matter where there are no pools', () => {
    expect(said({ global: { resource_pool_store: { url: 'valkey://localhost' } } })).toEqual([]);
  });
});

describe('the name of a resource pool', () => {
  const named = (name: string): readonly string[] =>
    said({
      global: { resource_pool_store: { class: 'execution-planner' } },
      pools: { [name]: { max_concurrent_cores: 32 } },
    });

  test('may be any text of 200 characters that the database can keep', () => {
    expect([...named('\'|"{}%; DROP'), ...named('Ü'.repeat(200))]).toEqual([]);
  });

  test('is refused where it is longer or cannot be kept: otherwise every ask would fail', () => {
    expect(named('x'.repeat(201))).toEqual([
      expect.stringMatching(
        /^error: the name of the resource pool 'x{40}…' has 201 characters; 200 are allowed/,
      ),
    ]);
    expect(named('a\u0000b')).toEqual([
      expect.stringMatching(
        /^error: the name of the resource pool .* must be valid Unicode without NUL/,
      ),
    ]);
  });
});
