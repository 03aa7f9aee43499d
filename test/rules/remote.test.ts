import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sha256Of } from '../../src/rules/saved-copies.ts';
import { ConfigurationError } from '../../src/site/load.ts';
import {
  coresOf,
  openGround,
  openWeb,
  rulesOf,
  until,
  type Ground,
  type Web,
} from './rules-folder.ts';

let ground: Ground;
let web: Web;
beforeEach(async () => {
  ground = await openGround();
  web = await openWeb();
});
afterEach(async () => {
  await ground.close();
  await web.close();
});

function serve(text: string, etag?: string) {
  web.answer = (request, response) => {
    if (etag !== undefined && request.headers['if-none-match'] === etag)
      response.writeHead(304).end();
    else response.writeHead(200, etag === undefined ? {} : { etag }).end(text);
  };
}
function down(): void {
  web.answer = (_request, response) => void response.destroy();
}
function site(entry: string, more = '') {
  return ground.site(`rules: [${entry}]\nrule-urls: {allow-hosts: ["http://${web.host}"]${more}}`);
}
async function refusal(starting: Promise<unknown>): Promise<string> {
  const error = await starting.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  return String(error);
}

describe('rule files of a host', () => {
  test('are merged with local and inline ones in the order of the site file', async () => {
    serve(rulesOf(2));
    writeFileSync(join(ground.folder, 'a.yml'), rulesOf(1));
    const last = '{inline: {tools: {sort: {cores: 3}}}}';
    expect(await coresOf(await ground.keep(site(`a.yml, "${web.url('/r.yml')}"`)))).toBe(2);
    expect(await coresOf(await ground.keep(site(`"${web.url('/r.yml')}", a.yml`)))).toBe(1);
    expect(await coresOf(await ground.keep(site(`"${web.url('/r.yml')}", a.yml, ${last}`)))).toBe(
      3,
    );
  });

  test('are requested again with their ETag, and taken when they changed', async () => {
    serve(rulesOf(1), '"one"');
    const keeper = await ground.keep(
      site(`{url: "${web.url('/r.yml?token=secret')}", refresh: PT1S}`),
    );
    await until('it was asked again', () => web.asked.length >= 2);
    expect(web.asked.slice(0, 2)).toEqual(['/r.yml?token=secret', '/r.yml?token=secret "one"']);
    expect(await coresOf(keeper)).toBe(1);
    serve(rulesOf(2), '"two"');
    await until('the new text is in force', async () => (await coresOf(keeper)) === 2);
    expect(keeper.counts()).toEqual({ loaded: 1, refused: 0 });
    expect(JSON.stringify(ground.said)).not.toContain('secret');
  });

  test('that break leave the last good rules in force, also after a restart of the service', async () => {
    serve(rulesOf(1));
    const keeper = await ground.keep(site(`"${web.url('/r.yml')}"`));
    serve(rulesOf('4 +'));
    await keeper.reload();
    expect(keeper.state().kind).toBe('kept');
    expect(await coresOf(keeper)).toBe(1);
    const next = await ground.keep(site(`"${web.url('/r.yml')}"`));
    expect(await coresOf(next)).toBe(1);
    expect(next.state()).toMatchObject({
      kind: 'kept',
      problems: [expect.stringMatching(/r\.yml:3:\d+: not Python/)],
    });
    serve(rulesOf(2));
    await next.reload();
    expect(await coresOf(next)).toBe(2);
    expect(next.state().kind).toBe('current');
  });

  test('that cannot be fetched at the start come from the last good copy, and the log says so', async () => {
    serve(rulesOf(1));
    await ground.keep(site(`"${web.url('/r.yml')}"`));
    down();
    const keeper = await ground.keep(site(`"${web.url('/r.yml')}"`));
    expect(await coresOf(keeper)).toBe(1);
    expect(keeper.state()).toMatchObject({
      kind: 'stale',
      problems: [
        expect.stringMatching(/r\.yml:1:1: .*cannot be fetched: .*; the copy of 2\d{3}-.* is used/),
      ],
    });
    expect(ground.said.filter(({ level }) => level === 'warn')).toHaveLength(1);
    serve(rulesOf(2));
    await keeper.reload();
    expect(await coresOf(keeper)).toBe(2);
    expect(keeper.state().kind).toBe('current');
  });

  test('that cannot be fetched and never were stop the start', async () => {
    down();
    expect(await refusal(ground.keep(site(`"${web.url('/r.yml')}"`)))).toContain(
      `${web.url('/r.yml')}:1:1: ${web.url('/r.yml')} cannot be fetched`,
    );
  });

  test('are refused when a copy on disk is damaged', async () => {
    serve(rulesOf(1));
    await ground.keep(site(`"${web.url('/r.yml')}"`));
    down();
    const folder = join(ground.folder, 'data/rules');
    const [name = ''] = readdirSync(folder);
    expect(name).toBe(`${sha256Of(web.url('/r.yml'))}.json`);
    const copy = readFileSync(join(folder, name), 'utf8');
    for (const damaged of [copy.slice(0, 80), copy.replace('cores: 1', 'cores: 7'), '{}', '[]']) {
      writeFileSync(join(folder, name), damaged);
      expect(await refusal(ground.keep(site(`"${web.url('/r.yml')}"`)))).toContain(
        'cannot be fetched',
      );
    }
  });

  test('with a pinned digest need that content, and are then never requested again', async () => {
    const pinned = rulesOf(1);
    const entry = `{url: "${web.url('/r.yml')}", sha256: "${sha256Of(pinned)}", refresh: PT1S}`;
    serve(rulesOf(2));
    expect(await refusal(ground.keep(site(entry)))).toContain(
      `its SHA-256 is ${sha256Of(rulesOf(2))}, but the site file pins ${sha256Of(pinned)}`,
    );
    serve(pinned);
    const keeper = await ground.keep(site(entry));
    expect(await coresOf(keeper)).toBe(1);
    const asked = web.asked.length;
    await keeper.reload();
    await ground.keep(site(entry));
    expect(web.asked).toHaveLength(asked);
  });
});

test('a refresh interval of years is no busy loop', async () => {
  serve(rulesOf(1));
  let looks = 0;
  const clock = (): number => {
    looks += 1;
    return Date.now();
  };
  await ground.keep(site(`{url: "${web.url('/r.yml')}", refresh: P20Y}`), { clock });
  const before = looks;
  await new Promise((done) => setTimeout(done, 1200));
  expect(looks - before).toBe(0);
});

describe('a host is asked', () => {
  test('only when the site file lists it, over https unless it lists http', () => {
    const read = (url: string, hosts: string): unknown => {
      try {
        return ground.site(`rules: ["${url}"]\nrule-urls: {allow-hosts: [${hosts}]}`).rules.length;
      } catch (error) {
        return String(error);
      }
    };
    expect(read('https://rules.example.org/a.yml', 'rules.example.org')).toBe(1);
    expect(read('https://rules.example.org:8443/a.yml', '"rules.example.org:8443"')).toBe(1);
    expect(read('http://rules.example.org/a.yml', '"http://rules.example.org"')).toBe(1);
    expect(read('https://[fd00::7]/a.yml', '"fd00::7"')).toBe(1);
    expect(read('https://rules.example.org/a.yml', '')).toContain(
      'the host rules.example.org is not on the list',
    );
    expect(read('https://rules.example.org.evil.example/a.yml', 'rules.example.org')).toContain(
      'is not on the list',
    );
    expect(read('https://rules.example.org:444/a.yml', '"rules.example.org:443"')).toContain(
      'is not on the list',
    );
    expect(read('http://rules.example.org/a.yml', 'rules.example.org')).toContain(
      'over https: only',
    );
    expect(read('https://u:p@rules.example.org/a.yml', 'rules.example.org')).toContain(
      'credentials',
    );
    expect(read('ftp://rules.example.org/a.yml', 'rules.example.org')).toContain(
      'a path or an http(s) URL',
    );
    expect(read('https://rules.example.org/a.yml', '"*.example.org"')).toContain(
      "cannot have '*.example.org'",
    );
  });

  test('by redirects only when they lead to listed hosts too', async () => {
    const other = await openWeb();
    try {
      other.answer = (_request, response) => void response.end(rulesOf(1));
      web.answer = (_request, response) =>
        void response.writeHead(302, { location: other.url('/x') }).end();
      expect(await refusal(ground.keep(site(`"${web.url('/r.yml')}"`)))).toMatch(
        /the host 127\.0\.0\.1, port \d+, is not on the list/,
      );
      expect(other.asked).toEqual([]);
      const both = ground.site(
        `rules: ["${web.url('/r.yml')}"]\nrule-urls: {allow-hosts: ["http://${web.host}", "http://${other.host}"]}`,
      );
      expect(await coresOf(await ground.keep(both))).toBe(1);
    } finally {
      await other.close();
    }
  });

  test('never at a private address that the list does not name, whatever its name resolves to', async () => {
    serve(rulesOf(1));
    const [, port] = web.host.split(':');
    const resolver = async () => [{ address: '127.0.0.1', family: 4 }];
    const named = (addresses: string) =>
      ground.site(
        `rules: ["http://rules.example:${port}/r.yml"]\nrule-urls: {allow-hosts: ["http://rules.example"${addresses}]}`,
      );
    expect(await refusal(ground.keep(named(''), { resolver }))).toContain(
      'has a private or reserved address',
    );
    expect(web.asked).toEqual([]);
    expect(await coresOf(await ground.keep(named(', 127.0.0.0/8'), { resolver }))).toBe(1);
  });

  test('for at most 5 MB of UTF-8', async () => {
    web.answer = (_request, response) => void response.end('#'.repeat(5 * 1024 ** 2 + 1));
    expect(await refusal(ground.keep(site(`"${web.url('/r.yml')}"`)))).toContain(
      'larger than 5242880 bytes',
    );
    web.answer = (_request, response) => void response.end(Buffer.from([0x61, 0xff, 0xfe]));
    expect(await refusal(ground.keep(site(`"${web.url('/r.yml')}"`)))).toContain(
      'not text in UTF-8',
    );
  });
});
