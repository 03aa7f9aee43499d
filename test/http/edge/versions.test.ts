import { describe, expect, test } from '@jest/globals';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

describe('a change of one version of what has no versions', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Response> =>
    fetch(new URL(path, service.url), { method, headers, body: body ?? null, redirect: 'manual' });
  const JSON_BODY = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

  const job = async (): Promise<string> => {
    const made = await send('POST', '/jobs', JSON_BODY, SMALL_ASK);
    return new URL(made.headers.get('location') ?? '').pathname;
  };

  test('is refused at an offer, which stays as it is', async () => {
    const asked = await send('POST', '/request', JSON_BODY, SMALL_ASK);
    const [offer] = Object(await asked.json()).response.offers;
    const path = new URL(offer.href).pathname;
    const accept = (match: string) =>
      send('POST', path, { ...JSON_BODY, 'If-Match': match }, '{"status":"ACCEPTED"}');
    const refused = await accept('"x", W/"y"');
    expect([refused.status, Object(await refused.json()).code]).toEqual([
      412,
      'precondition-failed',
    ]);
    const now = await send('GET', path, JSON_BODY);
    expect(Object(await now.json()).offer.status).toBe('OFFERED');
    expect((await accept('*')).status).toBe(200);
  });

  test('is refused at a job, which stays as it is', async () => {
    const path = await job();
    const version = { 'If-Match': '"x"' };
    const answers = [
      await send('POST', `${path}/phase`, { ...FORM, ...version }, 'PHASE=RUN'),
      await send('POST', path, { ...FORM, ...version }, 'ACTION=DELETE'),
      await send('PUT', `${path}/parameters/a`, version, '1'),
      await send('DELETE', path, version),
    ];
    expect(answers.map(({ status }) => status)).toEqual([412, 412, 412, 412]);
    expect(await answers[3]?.text()).toMatch(/^precondition-failed: /);
    const phase = await send('GET', `${path}/phase`, version);
    expect(await phase.text()).toBe('PENDING');
    expect((await send('DELETE', path, { 'If-Match': '*' })).status).toBe(303);
  });

  test('a parameter of a job is made or changed, as the client wants it', async () => {
    const path = `${await job()}/parameters/note`;
    const put = async (headers: Readonly<Record<string, string>>, content: string) =>
      (await send('PUT', path, headers, content)).status;
    expect(await put({ 'If-Match': '*' }, 'one')).toBe(412);
    expect(await put({ 'If-None-Match': '*' }, 'two')).toBe(303);
    expect(await put({ 'If-None-Match': '*' }, 'three')).toBe(412);
    expect(await (await send('GET', path, {})).text()).toBe('two');
    expect(await put({ 'If-Match': '*' }, 'four')).toBe(303);
    expect(await (await send('GET', path, {})).text()).toBe('four');
  });
});
