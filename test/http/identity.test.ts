import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { contractFaults } from '../harness/contract.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { tokenOf } from '../harness/site.ts';
import { openIssuer, type Issuer } from '../identity/issuer.ts';

const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort, "-n"]}}';
const RULES = { destinations: { a: { runner: 'process' } } };

describe('who asks', () => {
  let issuer: Issuer;
  let service: TestService;
  beforeAll(async () => {
    issuer = await openIssuer('ES256');
    service = await startTestService(
      {
        rules: ['rules.yml'],
        identity: {
          anonymous: false,
          administrators: ['operators'],
          tokens: [tokenOf('ada-token'), tokenOf('op-token', { roles: ['operators'] })],
          oidc: [{ issuer: issuer.url, audience: 'planner', 'groups-claim': 'groups' }],
        },
        destinations: {
          a: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 100,
            memory: '100GiB',
            scratch: '8000GiB',
          },
        },
      },
      RULES,
    );
  });
  afterAll(async () => {
    await service.close();
    await issuer.stop();
  });
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });

  const send = async (path: string, token?: string, body?: string, type = 'application/yaml') => {
    const url = path.startsWith('http') ? path : `${service.url}${path}`;
    const headers = {
      'Content-Type': type,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    };
    const response = await fetch(url, {
      redirect: 'manual',
      headers,
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      document: Object(
        response.headers.get('content-type')?.includes('yaml') === true ? load(text) : {},
      ),
    };
  };
  const form = (path: string, token: string, body: string) =>
    send(path, token, body, 'application/x-www-form-urlencoded');
  const offerOf = async (
    token: string,
  ): Promise<{ ident: string; href: string; expires: string; 'expires-in': number }> =>
    Object((await send('/request', token, ASK)).document.response).offers[0];
  const jobOf = async (token: string): Promise<string> => {
    const { ident, href } = await offerOf(token);
    await send(href, token, 'status: ACCEPTED');
    return ident;
  };

  test('without a credential gets 401 with a challenge for every way to log in, one on each line', async () => {
    for (const path of ['/jobs', '/offers/x', '/request']) {
      const { status, headers } = await send(path);
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe(
        'Bearer realm="planner", ivoa_bearer standard_id="ivo://ivoa.net/sso#OpenID", ' +
          `discovery_url="${issuer.url}/.well-known/openid-configuration", ` +
          'error="invalid_request", error_description="Missing access token"',
      );
      expect(headers.get('x-vo-authenticated')).toBeNull();
    }
  });

  test('with an invalid credential gets 401, below /jobs too, and the challenge says why', async () => {
    const { status, headers, document } = await send(
      '/request',
      await issuer.token({ aud: 'other' }),
      ASK,
    );
    expect(status).toBe(401);
    expect(document).toMatchObject({
      code: 'credential-invalid',
      detail: expect.stringContaining('(aud)'),
    });
    expect(headers.get('www-authenticate')).toContain(
      'Bearer realm="planner", error="invalid_token", error_description="the token was not ' +
        'issued for this service (aud)"',
    );
    expect(await service.db.database.ask.count()).toBe(0);
  });

  test('can send the token only in the header: in a URL or a form it is not read', async () => {
    const token = await issuer.token();
    expect((await send(`/jobs?access_token=${token}`)).status).toBe(401);
    expect((await form('/jobs', '', `access_token=${token}`)).status).toBe(401);
  });

  test('is named in the offer, without any secret, and in X-VO-Authenticated', async () => {
    const token = await issuer.token({ sub: '9f2c', email: 'ada@example.org' });
    const { headers, document, text } = await send('/request', token, ASK);
    expect(contractFaults('AnswerBody', document)).toEqual([]);
    const identity = { type: 'oidc', user: 'ada@example.org', issuer: issuer.url, subject: '9f2c' };
    const [offer] = Object(document.response).offers;
    expect(offer).toMatchObject({ identity });
    expect(headers.get('x-vo-authenticated')).toBe('ada@example.org');
    const shown = await send(offer.href, token);
    expect(contractFaults('OfferBody', shown.document)).toEqual([]);
    expect(shown.document).toMatchObject({ offer: { identity } });
    expect(`${text}${shown.text}`).not.toContain(token.split('.')[2]);
    const [kept] = await service.db.database.ask.findMany();
    expect(kept).toMatchObject({
      owner: `oidc:${issuer.url} 9f2c`,
      inputs: { job: { user: { email: 'ada@example.org' } } },
    });
    expect(JSON.stringify(kept)).not.toContain(token.split('.')[2]);
  });

  test.each([
    ['ada@example.org', 'ada@example.org'],
    ["o'neil + söhne, 100 %", "o'neil + s%C3%B6hne, 100 %"],
    ['名前', '%E5%90%8D%E5%89%8D'],
  ])(
    'is %p in the job and, as far as a header can carry it, in X-VO-Authenticated',
    async (email, header) => {
      const { headers } = await send('/offers/none', await issuer.token({ sub: 'named', email }));
      expect(headers.get('x-vo-authenticated')).toBe(header);
    },
  );

  test('is a local identity when the site itself names it', async () => {
    expect(await offerOf('ada-token')).toMatchObject({
      identity: { type: 'local', user: 'ada@example.org' },
    });
  });

  test('has the groups of the token as roles of the rules', async () => {
    await send('/request', await issuer.token({ groups: ['survey'] }), ASK);
    const [kept] = await service.db.database.ask.findMany();
    expect(kept).toMatchObject({ inputs: { job: { roles: [{ name: 'survey' }] } } });
  });

  test('by a token gets no offer that outlives the token', async () => {
    const exp = Math.floor(Date.now() / 1000) + 60;
    const short = await offerOf(await issuer.token({ exp }));
    // 30 s for the difference of clocks, as for the token itself.
    expect(Date.parse(short.expires)).toBeLessThanOrEqual((exp + 30) * 1000);
    expect(short['expires-in']).toBeGreaterThan(80);
    expect((await offerOf(await issuer.token({ exp: exp + 3600 })))['expires-in']).toBeGreaterThan(
      290,
    );
  });

  test('is told by /me until when the token is good', async () => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    const { document } = await send('/me', await issuer.token({ exp, groups: ['survey'] }));
    const { identity, roles, until } = Object(Object(document)['me']);
    expect([identity.type, roles]).toEqual(['oidc', ['survey']]);
    // 30 s for the difference of clocks, as above.
    expect(Math.abs(Date.parse(until) - exp * 1000)).toBeLessThanOrEqual(30_000);
  });

  test('stays the same user when the e-mail changes: issuer and subject own offers and jobs', async () => {
    const job = await jobOf(await issuer.token({ sub: 'one', email: 'ada@example.org' }));
    const squatter = await issuer.token({ sub: 'two', email: 'ada@example.org' });
    expect((await send(`/offers/${job}`, squatter)).status).toBe(404);
    expect((await send(`/jobs/${job}`, squatter)).status).toBe(403);
    expect((await send(`/jobs/${job}`, 'ada-token')).status).toBe(403);
    expect(
      (await send(`/jobs/${job}`, await issuer.token({ sub: 'one', email: 'new@example.org' })))
        .text,
    ).toContain('<uws:ownerId>new@example.org<');
  });

  describe('as an administrator', () => {
    test('sees the offers of others, and may reject and cancel them, but not accept them', async () => {
      const { href } = await offerOf('ada-token');
      expect((await send(href, 'op-token')).document).toMatchObject({
        offer: { status: 'OFFERED', identity: { user: 'ada@example.org' } },
      });
      const refused = await send(href, 'op-token', 'status: ACCEPTED');
      expect(refused).toMatchObject({ status: 403, document: { code: 'offer-not-yours' } });
      expect((await send(href, 'op-token', 'status: REJECTED')).document).toMatchObject({
        offer: { status: 'REJECTED' },
      });
      const job = await jobOf('ada-token');
      expect(
        (await send(`/offers/${job}`, 'op-token', 'status: CANCELLED')).document,
      ).toMatchObject({ offer: { status: 'CANCELLED' } });
      expect((await send(`/jobs/${job}/error`, 'ada-token')).text).toContain(
        'cancelled by the administrator op@example.org',
      );
      expect(
        (await send('/offers/01890a5d-ac96-774b-bcce-b302099a8057', 'op-token', 'status: ACCEPTED'))
          .status,
      ).toBe(404);
    });

    test('sees the jobs of others, may abort and destroy them, and may change nothing else', async () => {
      const job = await jobOf(await issuer.token({ sub: 'bob', email: 'bob@example.org' }));
      expect((await send(`/jobs/${job}`, 'op-token')).text).toContain(
        '<uws:ownerId>bob@example.org</uws:ownerId>',
      );
      expect((await send(`/jobs/${job}/owner`, 'op-token')).text).toBe('bob@example.org');
      for (const [child, body] of [
        ['phase', 'PHASE=RUN'],
        ['executionduration', 'EXECUTIONDURATION=1'],
        ['destruction', 'DESTRUCTION=2030-01-01T00:00:00Z'],
        ['', 'PHASE=RUN'],
      ] as const) {
        expect({
          child,
          status: (await form(`/jobs/${job}/${child}`, 'op-token', body)).status,
        }).toEqual({ child, status: 403 });
      }
      expect((await form('/jobs', 'op-token', `OFFER=${job}`)).status).toBe(403);
      expect((await form(`/jobs/${job}/phase`, 'op-token', 'PHASE=ABORT')).status).toBe(303);
      expect((await send(`/jobs/${job}/error`, 'op-token')).text).toContain(
        'aborted by the administrator op@example.org',
      );
      expect((await form(`/jobs/${job}`, 'op-token', 'ACTION=DELETE')).status).toBe(303);
      expect((await send(`/jobs/${job}`, 'op-token')).status).toBe(404);
    });

    test('reads who changed what, when and from where; nobody else does', async () => {
      const job = await jobOf('ada-token');
      const aborted = await form(`/jobs/${job}/phase`, 'op-token', 'PHASE=ABORT');
      await form(`/jobs/${job}/phase`, 'ada-token', 'PHASE=ABORT&secret=1');
      const { document } = await send('/audit?limit=3', 'op-token');
      expect(document).toEqual({
        audit: [
          {
            at: expect.any(String),
            'request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
            owner: 'user:ada@example.org',
            administrator: false,
            address: expect.stringContaining('127.0.0.1'),
            action: `POST /jobs/${job}/phase PHASE=ABORT`,
            status: expect.any(Number),
          },
          expect.objectContaining({
            'request-id': aborted.headers.get('x-request-id'),
            owner: 'user:op@example.org',
            administrator: true,
            action: `POST /jobs/${job}/phase PHASE=ABORT`,
            status: 303,
          }),
          expect.objectContaining({
            owner: 'user:ada@example.org',
            action: `POST /offers/${job} status=ACCEPTED`,
            status: 200,
          }),
        ],
      });
      expect(contractFaults('AuditBody', JSON.parse(JSON.stringify(document)))).toEqual([]);
      expect(await send('/audit', 'ada-token')).toMatchObject({
        status: 403,
        document: { code: 'administrators-only' },
      });
      expect((await send('/audit?before=yesterday', 'op-token')).status).toBe(400);
      expect(await send('/audit?before=-271821-04-20T00:00:00Z', 'op-token')).toMatchObject({
        status: 200,
        document: { audit: [] },
      });
    });

    test('reads what a malformed update asked for', async () => {
      const { href } = await offerOf('ada-token');
      const other = '01890a5d-ac96-774b-bcce-b302099a8057';
      for (const body of ['status: SOLD', `{status: REJECTED, ident: ${other}}`])
        expect((await send(href, 'ada-token', body)).status).toBe(400);
      const { document } = await send('/audit?limit=2', 'op-token');
      const path = new URL(href, 'http://planner').pathname;
      expect(document['audit']).toEqual([
        expect.objectContaining({ action: `POST ${path} status=REJECTED`, status: 400 }),
        expect.objectContaining({ action: `POST ${path} status=SOLD`, status: 400 }),
      ]);
    });

    test('finds at most twenty refusals a minute per client in the trail, which bounds its size', async () => {
      const [mallory, href] = [
        await issuer.token({ sub: 'mallory' }),
        `/offers/01890a5d-ac96-774b-bcce-b302099a8057`,
      ];
      const begun = performance.now();
      for (let count = 0; count < 30; count += 1)
        expect((await send(href, mallory, 'status: ACCEPTED')).status).toBe(404);
      // One more flows back each 3 s, which a busy machine may take.
      const most = 20 + Math.ceil((performance.now() - begun) / 3000);
      await offerOf('ada-token').then((offer) => send(offer.href, 'ada-token', 'status: REJECTED'));
      const { document } = await send('/audit?limit=100', 'op-token');
      const entries: readonly { readonly owner: string; readonly action: string }[] =
        Object(document).audit;
      const kept = entries.filter(({ owner }) => owner.includes('mallory')).length;
      expect(kept).toBeGreaterThanOrEqual(20);
      expect(kept).toBeLessThanOrEqual(most);
      expect(entries[0]?.action).toContain('status=REJECTED');
    });

    test('has a list of the own jobs, and with OWNER that of another user, by name or by owner', async () => {
      const own = await jobOf('op-token');
      const adas = await jobOf('ada-token');
      const bobs = await jobOf(await issuer.token({ sub: 'bob', email: 'bob@example.org' }));
      const listed = async (query: string): Promise<readonly string[]> =>
        [
          ...(await send(`/jobs${query}`, 'op-token')).text.matchAll(/<uws:jobref id="([^"]+)"/g),
        ].map(([, id = '']) => id);
      expect(await listed('')).toEqual([own]);
      expect(await listed('?OWNER=ada@example.org')).toEqual([adas]);
      expect(await listed('?owner=bob@example.org')).toEqual([bobs]);
      expect(await listed(`?OWNER=${encodeURIComponent(`oidc:${issuer.url} bob`)}`)).toEqual([
        bobs,
      ]);
      expect(await listed('?OWNER=nobody')).toEqual([]);
      expect((await send('/jobs?OWNER=op@example.org', 'ada-token')).status).toBe(403);
    });
  });

  test('as anybody else sees and changes only their own offers and jobs', async () => {
    const job = await jobOf(await issuer.token({ sub: 'bob', groups: ['operator'] }));
    for (const body of [undefined, 'status: REJECTED', 'status: CANCELLED', 'status: ACCEPTED']) {
      expect((await send(`/offers/${job}`, 'ada-token', body)).status).toBe(404);
    }
    for (const body of ['PHASE=ABORT', 'ACTION=DELETE'])
      expect((await form(`/jobs/${job}`, 'ada-token', body)).status).toBe(403);
    expect((await form(`/jobs/${job}/phase`, 'ada-token', 'PHASE=ABORT')).status).toBe(403);
  });
});
