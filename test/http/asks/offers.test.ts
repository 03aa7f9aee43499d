import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { readKeptDecision } from '../../harness/kept-decision.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { readRuleFiles } from '../../../src/rules/read.ts';
import { loadSite } from '../../../src/site/load.ts';
import { parseJob } from '../../../src/vortex/index.ts';
import { parseAskId } from '../../../src/words/ids.ts';
import { contractFaults } from '../../harness/contract.ts';
import { emptyBookBeforeEach, serveTests } from '../../harness/serve.ts';
import { tokenOf } from '../../harness/site.ts';

const SITE = {
  rules: ['rules.yml'],
  identity: { tokens: [tokenOf('ada-token'), tokenOf('bob-token')] },
  destinations: Object.fromEntries(
    ['a', 'b', 'c'].map((id) => [
      id,
      {
        runner: 'process',
        'task-types': ['executable'],
        cores: 4,
        memory: '8GiB',
        scratch: '80GiB',
      },
    ]),
  ),
};
const RULES = {
  destinations: { a: { runner: 'process' }, b: { runner: 'process' }, c: { runner: 'process' } },
};
const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort, "-n"]}}';

type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly document: Record<string, unknown>;
};
type Offer = { readonly ident: string; readonly href: string; readonly status: string };

describe('the offers of an answer', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);

  const send = async (
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const url = path.startsWith('http') ? path : `${service.url}${path}`;
    const response = await fetch(url, {
      ...(body === undefined ? {} : { method: 'POST', body }),
      headers: { 'Content-Type': 'application/yaml', ...headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      document: Object(load(text)),
    };
  };
  const as = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
  const ask = async (headers: Record<string, string> = {}): Promise<readonly Offer[]> => {
    const { document } = await send('/request', ASK, headers);
    expect(contractFaults('AnswerBody', document)).toEqual([]);
    return Object(document['response']).offers;
  };
  const first = async (headers: Record<string, string> = {}): Promise<Offer> => {
    const [offer] = await ask(headers);
    if (offer === undefined) throw new Error('no offer');
    return offer;
  };

  test('are ACCEPTED to the client that accepts one, however fast an executor takes the job', async () => {
    const { database } = service.db;
    await database.$executeRaw`
      CREATE FUNCTION at_once() RETURNS trigger LANGUAGE
        plpgsql AS
        'BEGIN UPDATE offer SET state = ''PREPARING'' WHERE id = NEW.id; RETURN NEW; END'`;
    await database.$executeRaw`CREATE TRIGGER at_once AFTER INSERT ON job FOR EACH ROW EXECUTE FUNCTION at_once()`;
    try {
      const { href } = await first();
      expect((await send(href, 'offer: {status: ACCEPTED}')).document).toMatchObject({
        offer: { status: 'ACCEPTED' },
      });
      expect((await send(href)).document).toMatchObject({ offer: { status: 'PREPARING' } });
      expect((await send(href, 'offer: {status: ACCEPTED}')).document).toMatchObject({
        offer: { status: 'PREPARING' },
      });
    } finally {
      await database.$executeRaw`DROP TRIGGER at_once ON job`;
      await database.$executeRaw`DROP FUNCTION at_once`;
    }
  });

  test('are 410 when their job was destroyed, and give no address of a missing job', async () => {
    const { href, ident } = await first();
    expect((await send(href, 'offer: {status: ACCEPTED}')).status).toBe(200);
    const destroyed = await fetch(`${service.url}/jobs/${ident}`, {
      method: 'DELETE',
      redirect: 'manual',
    });
    expect(destroyed.status).toBe(303);
    const again = await send(href, 'offer: {status: ACCEPTED}');
    expect(again).toMatchObject({
      status: 410,
      document: {
        code: 'job-destroyed',
        state: 'CANCELLED',
        detail: expect.stringContaining('ask again'),
      },
    });
    expect(contractFaults('Problem', again.document)).toEqual([]);
    // Its files are removed too, and with them the record.
    await service.db.database.$executeRaw`SELECT forget_job(${ident}::uuid)`;
    expect(await send(href, 'offer: {status: ACCEPTED}')).toMatchObject({
      status: 410,
      document: { code: 'job-destroyed' },
    });
  });

  test('carry everything a client needs to go on', async () => {
    const { ident, href } = await first();
    const { document } = await send(href);
    expect(contractFaults('OfferBody', document)).toEqual([]);
    expect(document).toMatchObject({
      offer: {
        ident,
        href,
        status: 'OFFERED',
        destination: 'a',
        'expires-in': expect.any(Number),
        connection: {
          type: 'ivo://ivoa.net/std/UWS#rest-1.1',
          jobs: `${service.url}/jobs`,
          job: `${service.url}/jobs/${ident}`,
          method: 'POST',
          parameters: { OFFER: ident, PHASE: 'RUN' },
        },
      },
    });
    expect(ident).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('expire after the lifetime of the site, counted by the database', async () => {
    const { href } = await first();
    const { offer } = Object((await send(href)).document);
    expect(offer['expires-in']).toBeGreaterThan(290);
    expect(offer['expires-in']).toBeLessThanOrEqual(300);
    await service.db.database.$executeRaw`UPDATE offer SET expires_at = clock_timestamp()`;
    expect((await send(href)).document).toMatchObject({
      offer: { status: 'EXPIRED', 'expires-in': 0 },
    });
    const late = await send(href, 'offer: {status: ACCEPTED}');
    expect(late.status).toBe(410);
    expect(late.document).toMatchObject({ code: 'offer-expired', state: 'EXPIRED' });
    expect(contractFaults('Problem', late.document)).toEqual([]);
  });

  test('are YAML by default and JSON on request; "YES" is text in every version of YAML', async () => {
    const yaml = await send('/request', ASK);
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(yaml.text).toContain("result: 'YES'");
    const json = await send('/request', JSON.stringify(load(ASK)), {
      'Content-Type': 'application/json',
      Accept: 'application/json',
    });
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(json.text).response.result).toBe('YES');
    expect(
      (await send('/request', ASK, { Accept: 'application/json, application/yaml' })).headers.get(
        'content-type',
      ),
    ).toContain('yaml');
    expect(
      (await send('/nothing', undefined, { Accept: 'application/json' })).headers.get(
        'content-type',
      ),
    ).toContain('application/problem+json');
    expect((await send('/nothing')).headers.get('content-type')).toContain(
      'application/problem+yaml',
    );
  });

  test('are the same with and without the wrapper `request:`', async () => {
    const plain = await send('/request', ASK);
    const wrapped = await send('/request', `request:\n  ${ASK}`);
    const shape = ({ document }: Reply) =>
      Object(document['response']).offers.map((offer: { request: object }) => offer.request);
    expect(shape(wrapped)).toEqual(shape(plain));
  });

  test('can be accepted once: the siblings are then REJECTED, and name the winner', async () => {
    const [a, b] = await ask();
    if (a === undefined || b === undefined) throw new Error('two offers are needed');
    const accepted = await send(a.href, 'offer: {status: ACCEPTED}');
    expect(accepted.status).toBe(200);
    expect(accepted.document).toMatchObject({
      offer: { ident: a.ident, status: 'ACCEPTED', 'expires-in': 0 },
    });
    expect((await send(a.href, 'status: ACCEPTED')).document).toMatchObject({
      offer: { ident: a.ident, status: 'ACCEPTED' },
    });
    const lost = await send(b.href, 'offer: {status: ACCEPTED}');
    expect(lost.status).toBe(409);
    expect(lost.document).toMatchObject({
      code: 'offer-sibling-accepted',
      state: 'REJECTED',
      winner: a.ident,
      allowed: [],
    });
  });

  test('have one winner and one job, even under 50 concurrent accepts of the three of them', async () => {
    const offers = await ask();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        send(offers[n % 3]?.href ?? '', 'offer: {status: ACCEPTED}'),
      ),
    );
    const accepted = new Set(
      replies
        .filter(({ status }) => status === 200)
        .map(({ document }) => Object(document['offer']).ident),
    );
    const losers = replies.filter(({ status }) => status === 409);
    expect(accepted.size).toBe(1);
    expect(new Set(losers.map(({ document }) => document['winner']))).toEqual(accepted);
    expect(losers.length + replies.filter(({ status }) => status === 200).length).toBe(50);
    expect(await service.db.database.job.count()).toBe(1);
  });

  test('refuse an illegal update with the states that are allowed now', async () => {
    const offer = await first();
    const early = await send(offer.href, 'status: CANCELLED');
    expect(early.status).toBe(409);
    expect(early.document).toMatchObject({
      code: 'offer-state-conflict',
      state: 'OFFERED',
      allowed: ['ACCEPTED', 'REJECTED'],
    });
    await send(offer.href, 'status: ACCEPTED');
    expect((await send(offer.href, 'status: REJECTED')).document).toMatchObject({
      code: 'offer-state-conflict',
      state: 'ACCEPTED',
      allowed: ['CANCELLED'],
    });
    expect((await send(offer.href, 'status: CANCELLED')).document).toMatchObject({
      offer: { status: 'CANCELLED' },
    });
    expect((await send(offer.href, 'status: ACCEPTED')).document).toMatchObject({
      offer: { status: 'CANCELLED' },
    });
  });

  test('accepted with `start: client` wait for PHASE=RUN; accepted plainly they are queued', async () => {
    const [a] = await ask();
    await send(a?.href ?? '', 'offer: {status: ACCEPTED, start: client}');
    expect((await send(`/jobs/${a?.ident}/phase`)).text).toBe('PENDING');
    const b = await first();
    await send(b.href, 'offer: {status: ACCEPTED}');
    expect((await send(`/jobs/${b.ident}/phase`)).text).toBe('QUEUED');
  });

  test('are 404 for other users, like offers that never existed', async () => {
    const mine = await first(as('ada-token'));
    for (const path of [
      mine.href,
      '/offers/01890a5d-ac96-774b-bcce-b302099a8057',
      '/offers/nonsense',
    ]) {
      for (const body of [undefined, 'status: ACCEPTED']) {
        const reply = await send(path, body, as('bob-token'));
        expect({ path, status: reply.status, code: reply.document['code'] }).toEqual({
          path,
          status: 404,
          code: 'offer-unknown',
        });
      }
    }
    expect((await send(mine.href, undefined, as('ada-token'))).status).toBe(200);
    expect(
      (await send(mine.href, undefined, as('ada-token'))).headers.get('x-vo-authenticated'),
    ).toBe('ada@example.org');
  });

  test('with an unknown credential are 401 with a challenge, never anonymous', async () => {
    for (const authorization of [
      'Bearer wrong',
      'Basic YWRhOnB3',
      'Bearer',
      'ada-token',
      'Bearer ada-token extra',
    ]) {
      const reply = await send('/request', ASK, { Authorization: authorization });
      expect({ authorization, status: reply.status }).toEqual({ authorization, status: 401 });
      expect(reply.headers.get('www-authenticate')).toContain('Bearer realm="planner"');
      expect(reply.headers.get('x-vo-authenticated')).toBeNull();
    }
    expect(await service.db.database.ask.count()).toBe(0);
  });

  test('can be updated only by the contract', async () => {
    const { href, ident } = await first();
    for (const body of [
      'status: SOLD',
      'offer: {status: ACCEPTED, destination: b}',
      'offer: {}',
      '[]',
      'status: EXPIRED',
      'offer: {status: ACCEPTED}\nexpires: never',
      'offer: {status: ACCEPTED, start: yesterday}',
    ]) {
      const reply = await send(href, body);
      expect({ body, status: reply.status, code: reply.document['code'] }).toEqual({
        body,
        status: 400,
        code: 'body-not-an-ask',
      });
    }
    const other = await send(
      href,
      'offer: {ident: 01890a5d-ac96-774b-bcce-b302099a8057, status: ACCEPTED}',
    );
    expect(other.status).toBe(400);
    expect((await send(href, `offer: {ident: ${ident}, status: REJECTED}`)).status).toBe(200);
  });

  test('can be explained later: their ask, replayed on the same rules, takes the same steps', async () => {
    await ask(as('ada-token'));
    const [kept] = await service.db.database.ask.findMany();
    const inputs = Object(kept?.inputs);
    expect(kept).toMatchObject({
      result: 'YES',
      inputs: { job: { tool: { id: 'executable/sort' }, user: { email: 'ada@example.org' } } },
    });
    const sandbox = openSandbox({ decisionMs: 10_000 });
    try {
      await sandbox.load(await readRuleFiles(await loadSite(service.site.siteFile)));
      expect(sandbox.stats().digest).toBe(kept?.rulesDigest);
      const id = parseAskId(kept?.id ?? '');
      const decision = id && (await readKeptDecision(service.db.database, id));
      expect(await sandbox.weigh(parseJob(inputs.job), inputs.circumstances)).toMatchObject({
        kind: 'considered',
        trace: decision?.trace,
      });
    } finally {
      await sandbox.close();
    }
  });
});
