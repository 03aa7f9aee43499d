import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';

function site(requests: string): ReturnType<typeof readSite> {
  return readSite(
    '/srv/site.yml',
    `
rules: [rules.yml]
destinations: {here: {runner: process, task-types: [executable], cores: 8, memory: 16GiB}}
${requests}
`,
  );
}

describe('the section requests', () => {
  test('binds nothing by default', () => {
    expect(site('')).toMatchObject({ ok: true, site: { requests: undefined } });
  });

  test('lists origins with usual limits', () => {
    const reading = site(
      'requests: {allow: ["https://STATS.example.org", "http://10.0.0.7:9090/", "http://[::1]:80"]}',
    );
    const origins = ['https://stats.example.org', 'http://10.0.0.7:9090', 'http://[::1]'];
    expect(reading).toMatchObject({
      ok: true,
      site: { requests: { origins, timeout: 2, size: 1, cache: 10 } },
    });
  });

  test.each([
    ['requests: {}', "requests needs 'allow', the servers that rules may ask"],
    ['requests: {allow: [stats.example.org]}', "requests.allow[0] cannot be 'stats.example.org'"],
    [
      'requests: {allow: ["https://x.org/path"]}',
      "requests.allow[0] cannot be 'https://x.org/path'",
    ],
    [
      'requests: {allow: ["https://me:secret@x.org"]}',
      "requests.allow[0] cannot be 'https://me:secret@x.org'",
    ],
    ['requests: {allow: ["ftp://x.org"]}', "requests.allow[0] cannot be 'ftp://x.org'"],
    ['requests: {allow: ["https://*.x.org"]}', "requests.allow[0] cannot be 'https://*.x.org'"],
    ['requests: {allow: [], timeout: 2}', 'requests.timeout must be a string, not the number 2'],
    ['requests: {allow: [], deny: []}', "requests has no key 'deny'"],
  ])('with %s is refused with what is wrong', (text, message) => {
    const reading = site(text);
    expect(reading.ok ? [] : reading.problems).toMatchObject([
      { file: '/srv/site.yml', line: 4, message },
    ]);
  });
});
