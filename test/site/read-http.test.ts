import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';
import { isAllowedHost } from '../../src/tasks/url-policy.ts';

function site(http: string): ReturnType<typeof readSite> {
  return readSite(
    '/srv/site.yml',
    `
rules: [rules.yml]
destinations: {here: {runner: process, task-types: [executable], cores: 8, memory: 16GiB}}
${http}
`,
  );
}

describe('the section http', () => {
  test('lists no portal by default', () => {
    for (const text of ['', 'http: {}', 'http: {allow-origins: []}'])
      expect(site(text)).toMatchObject({ ok: true, site: { http: { allowOrigins: [] } } });
  });

  test('lists origins as browsers write them', () => {
    expect(
      site(
        'http: {allow-origins: ["https://Portal.example.org", "http://127.0.0.1:3000/", "https://x.org:443"]}',
      ),
    ).toMatchObject({
      ok: true,
      site: {
        http: {
          allowOrigins: ['https://portal.example.org', 'http://127.0.0.1:3000', 'https://x.org'],
        },
      },
    });
  });

  test.each([
    ['http: {allow-origins: ["null"]}', "http.allow-origins[0] cannot be 'null'"],
    ['http: {allow-origins: ["*"]}', "http.allow-origins[0] cannot be '*'"],
    [
      'http: {allow-origins: ["https://*.example.org"]}',
      "http.allow-origins[0] cannot be 'https://*.example.org'",
    ],
    [
      'http: {allow-origins: [portal.example.org]}',
      "http.allow-origins[0] cannot be 'portal.example.org'",
    ],
    [
      'http: {allow-origins: ["https://portal.example.org/app"]}',
      "http.allow-origins[0] cannot be 'https://portal.example.org/app'",
    ],
    ['http: {origins: []}', "http has no key 'origins'"],
  ])('with %s is refused with what is wrong', (text, message) => {
    const reading = site(text);
    expect(reading.ok ? [] : reading.problems).toMatchObject([
      { file: '/srv/site.yml', line: 4, message },
    ]);
  });
});

describe('fetch.allow-hosts', () => {
  const hosts = (...entries: readonly string[]): ReturnType<typeof readSite> =>
    site(`fetch: ${JSON.stringify({ 'allow-hosts': entries })}`);

  test('has hosts as URLs of tasks have them', () => {
    const entries = ['Data.example.org:8443', 'münchen.example', '::1', '[fd00::7]:80', '10.0.0.8'];
    const reading = hosts(...entries);
    const policy = reading.ok ? reading.site.fetch : { allowHosts: [], fileRoots: [] };
    for (const url of [
      'https://data.example.org:8443/a',
      'https://MÜNCHEN.example/a',
      'http://[::1]:9000/a',
      'http://[fd00::7]/a',
      'http://10.0.0.8/a',
    ])
      expect([url, isAllowedHost(new URL(url), policy)]).toEqual([url, true]);
    expect(isAllowedHost(new URL('https://data.example.org/a'), policy)).toBe(false);
  });

  test.each(['http://x.org', '*.x.org', 'x.org/data', '10.0.0.0/8', 'a b', ''])(
    'refuses %p, which no URL would match',
    (entry) => {
      expect(hosts('x.org', entry)).toMatchObject({
        problems: [{ message: `fetch.allow-hosts[1] cannot be '${entry}'` }],
      });
    },
  );
});
