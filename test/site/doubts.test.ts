import { describe, expect, test } from '@jest/globals';
import { unlimited } from '../../src/site/doubts.ts';
import { readSite } from '../../src/site/read.ts';

function saysOf(more: string): string | undefined {
  const reading = readSite(
    'site.yml',
    'rules: [rules.yml]\ndestinations: { here: { runner: process, task-types: [executable], ' +
      `cores: 4, memory: 8GiB } }\n${more}`,
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return unlimited(reading.site);
}
const TOKEN =
  'tokens: [{ user: ada, sha256: 5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8 }]';
const ALL = 'holds: 5, share: 25%, results: 1GiB, stored: 1GiB, asks-per-minute: 60';

describe('the warning at the start about what has no limit', () => {
  test.each([
    ['', 'nobody limits results of anybody without a credential: docs/guides/quotas.md'],
    [
      'quotas: []',
      'nobody limits open offers, reserved work, results, asks a minute, stored records of ' +
        'anybody without a credential: docs/guides/quotas.md',
    ],
    [`quotas: [{ for: anonymous, ${ALL} }]`, undefined],
    [
      `quotas: [{ for: anonymous, ${ALL} }]\nidentity: { ${TOKEN} }`,
      'nobody limits open offers, reserved work, results, asks a minute, stored records of ' +
        'anybody with a credential: docs/guides/quotas.md',
    ],
    [`quotas: [{ for: site, ${ALL} }]\nidentity: { ${TOKEN} }`, undefined],
    [
      `quotas: [{ for: user, share: 25%, jobs: 3, results: 1GiB }]\nidentity: { anonymous: false, ${TOKEN} }`,
      'nobody limits asks a minute, stored records of anybody with a credential: docs/guides/quotas.md',
    ],
    [
      `storage: [{ name: archive, type: directory, path: /srv/archive, size: 1TiB }]\nquotas: [{ for: site, ${ALL} }]`,
      'nobody limits persistent volumes of anybody without a credential: docs/guides/quotas.md',
    ],
  ])('%s', (more, line) => {
    expect(saysOf(more)).toBe(line);
  });

  test.each([
    ['share: 120%', "quotas[0].share cannot be '120%'"],
    ['share: 0%', "cannot be '0%'"],
    ['share: half', "cannot be 'half'"],
    ['share: 0.25', 'quotas[0].share must be text'],
  ])('%s is no share', (limit, message) => {
    expect(() => saysOf(`quotas: [{ for: user, ${limit} }]`)).toThrow(message.slice(0, 20));
  });
});
