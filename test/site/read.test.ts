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
function problemsOf(text: string): readonly string[] {
  const reading = readSite('/etc/planner/site.yml', text);
  return reading.ok ? [] : reading.problems.map(printProblem);
}

describe('a site file', () => {
  test('that comes with the project is accepted', async () => {
    expect(readSite(LOCAL, await readFile(LOCAL, 'utf8'))).toMatchObject({ ok: true });
  });

  test('needs rules and one destination only; everything else has the specified defaults', () => {
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

  test('says how long records are kept; a day at least, and use as long as quotas count it', () => {
    expect(readSite('/etc/planner/site.yml', minimal)).toMatchObject({
      site: { records: { refusals: 86_400, offers: 604_800, jobs: 2_592_000 } },
    });
    expect(
      readSite(
        '/etc/planner/site.yml',
        `${minimal}records: { refusals: P2D, offers: P3D, jobs: P4D }\n`,
      ),
    ).toMatchObject({ site: { records: { refusals: 172_800, offers: 259_200, jobs: 345_600 } } });
    expect(
      problemsOf(
        `${minimal}records: { refusals: PT5M, jobs: P7D }\nquotas: [{ for: site, gpu-hours: 5, window: P8D }]\n`,
      ),
    ).toEqual([
      '/etc/planner/site.yml:4:22: records.refusals must be at least P1D, since answers ' +
        'are repeated under their Idempotency-Key for a day',
      '/etc/planner/site.yml:4:34: records.jobs must be at least PT691200S, the longest ' +
        'window in which quotas add up what jobs used',
    ]);
  });

  test('with a mistake names file, line, column, the value and what would be right', () => {
    expect(problemsOf(`${minimal}offers:\n  lifetime: 5 minutes\n`)).toEqual([
      "/etc/planner/site.yml:5:13: offers.lifetime cannot be '5 minutes' (an ISO 8601 " +
        'duration, for example PT5M for five minutes or P7D for a week)',
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
      expect.stringContaining(':4:16: destinations.a.runner must be one of process, notebook,'),
      expect.stringContaining(
        ':4:36: destinations.a.task-types[0] must be one of jupyter-notebook',
      ),
      expect.stringContaining(
        ":4:53: destinations.a.cores must be a number, not the string 'many'",
      ),
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
    [
      'with a key given twice',
      `${minimal}rules: [other.yml]\n`,
      "site.yml:4:1: the key 'rules' is here twice; first on line 1",
    ],
    ['that is empty', '', 'the site file must be a mapping, not null'],
    ['without destinations', 'rules: [r.yml]', "the site file needs 'destinations'"],
    [
      'with a runner that cannot execute its task types',
      minimal.replace('process', 'notebook'),
      'the notebook runner does not execute executable',
    ],
    [
      'with Python programs and no interpreter',
      minimal.replace('[executable]', '[python-program]'),
      'needs runners.process.python',
    ],
    [
      'with a token in the clear',
      `${minimal}identity: { tokens: [{ sha256: secret, user: ada@example.org }] }`,
      'must be the SHA-256 of the token',
    ],
  ])('%s is refused', (_, text, message) => {
    expect(problemsOf(text).join('\n')).toContain(message);
  });
});
