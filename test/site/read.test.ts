import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { printProblem } from '../../src/site/load.ts';
import { readSite } from '../../src/site/read.ts';

const LOCAL = fileURLToPath(new URL('../../src/site/local/site.yml', import.meta.url));
const minimal = `rules: [rules.yml]
destinations:
  here: { runner: process, task-types: [executable], cores: 4, memory: 8GiB }
`;
const problemsOf = (text: string): readonly string[] => {
  const reading = readSite('/etc/planner/site.yml', text);
  return reading.ok ? [] : reading.problems.map(printProblem);
};

describe('a site file', () => {
  test('that comes with the project is accepted', async () => {
    expect(readSite(LOCAL, await readFile(LOCAL, 'utf8'))).toMatchObject({ ok: true });
  });

  test('needs little: rules and one destination; everything else has the defaults of the specification', () => {
    expect(readSite('/etc/planner/site.yml', minimal)).toMatchObject({
      ok: true,
      site: {
        rules: [{ kind: 'file', path: '/etc/planner/rules.yml' }],
        ruleHosts: { hosts: [], networks: [] },
        defaults: { cores: 2000, memory: 2048, scratch: 20_480 },
        offers: { lifetime: 300, most: 4, duration: 3600 },
        identity: { anonymous: true, tokens: [], oidc: [], administrators: [] },
      },
    });
  });

  test('with a mistake names file, line, column, the value and what would be right', () => {
    expect(problemsOf(`${minimal}offers:\n  lifetime: 5 minutes\n`)).toEqual([
      "/etc/planner/site.yml:5:13: offers.lifetime cannot be '5 minutes' (an ISO 8601 duration, for example PT5M for five minutes or P7D for a week)",
    ]);
  });

  test('with several mistakes names all of them', () => {
    const problems = problemsOf(`rules: []
offer: {}
destinations:
  a: { runner: sloth, task-types: [jupyter], cores: many, memory: 8 parsecs, gpus: { urn:gpu: 0 } }
  b: { runner: process }
  c: 5
`);
    expect(problems).toEqual([
      expect.stringContaining(":2:1: the site file has no key 'offer' (did you mean 'offers'?)"),
      expect.stringContaining(":4:16: destinations.a.runner must be one of process, notebook,"),
      expect.stringContaining(':4:36: destinations.a.task-types[0] must be one of jupyter-notebook'),
      expect.stringContaining(":4:53: destinations.a.cores must be a number, not the string 'many'"),
      expect.stringContaining(":4:67: destinations.a.memory cannot be '8 parsecs'"),
      expect.stringContaining(":4:95: destinations.a.gpus 'urn:gpu' must be at least 1"),
      expect.stringContaining(":5:6: destinations.b needs 'task-types'"),
      expect.stringContaining(":5:6: destinations.b needs 'cores'"),
      expect.stringContaining(":5:6: destinations.b needs 'memory'"),
      expect.stringContaining(':6:6: destinations.c must be a mapping, not the number 5'),
      expect.stringContaining(':1:8: rules must name at least one TPV rule file'),
    ]);
  });

  test.each([
    ['that is not YAML', 'rules: [', 'site.yml:1:'],
    ['with a key given twice', `${minimal}rules: [other.yml]\n`, "site.yml:4:1: the key 'rules' is here twice; first on line 1"],
    ['that is empty', '', 'the site file must be a mapping, not null'],
    ['without destinations', 'rules: [r.yml]', "the site file needs 'destinations'"],
    ['with a runner that cannot execute its task types', minimal.replace('process', 'notebook'), 'the notebook runner does not execute executable'],
    ['with Python programs and no interpreter', minimal.replace('[executable]', '[python-program]'), 'needs runners.process.python'],
    ['with a token in the clear', `${minimal}identity: { tokens: [{ sha256: secret, user: ada@example.org }] }`, 'must be the SHA-256 of the token'],
  ])('%s is refused', (_, text, message) => {
    expect(problemsOf(text).join('\n')).toContain(message);
  });
});
