import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';

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
