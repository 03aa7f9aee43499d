import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { dump, load } from 'js-yaml';
import { DIALECTS, type OpenDialect } from '../../src/dialects/all.ts';
import { serveTests } from '../harness/serve.ts';
import { readXml, writeXml } from '../../src/xml/document.ts';
import { openMapping, type XmlDocument } from '../../src/xml/mapping.ts';
import { contract } from '../harness/contract.ts';

const mapping = openMapping(contract);

/** An answer as a client of a dialect understands it. */
export type HeardAnswer = {
  readonly isYes: boolean;
  readonly offers: readonly HeardOffer[];
  readonly reasons: readonly { readonly path: string; readonly text: string }[];
  /** an ask that would be a YES, as it can be sent */
  readonly nearest: object | undefined;
};

export type HeardOffer = { readonly id: string; readonly url: string; readonly cores: number };

/** A client of a dialect: how it asks, and what it makes of what it is told. */
export type DialectClient = {
  readonly name: string;
  /** where it asks */
  readonly route: string;
  /** the key that it may put around an ask */
  readonly wrapper: string;
  /** an ask for so many cores to run `sort`, for half an hour at most */
  readonly ask: (cores: number) => object;
  /** where the cores of an ask are, as reasons say it */
  readonly coresAt: string;
  /** an ask with something that nobody understands, and where that is */
  readonly strange: { readonly ask: object; readonly at: string };
  /** a document that is no ask */
  readonly noAsk: object;
  readonly accept: object;
  readonly reject: object;
  readonly noUpdate: object;
  readonly hear: (document: unknown) => HeardAnswer;
  /** the state of an offer, as the planner calls it */
  readonly stateOf: (document: unknown) => string;
};

const SITE = {
  rules: ['rules.yml'],
  defaults: { scratch: '1GiB' },
  destinations: {
    small: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 600,
      memory: '900GiB',
      scratch: '900GiB',
    },
  },
};
const RULES = { destinations: { small: { runner: 'process', max_accepted_cores: 6 } } };

/**
 * What every dialect does, over HTTP against a real service: the same
 * conversation, in its own words.
 *
 * @param more dialects beside those of the service
 */
export function describeDialect(client: DialectClient, more: readonly OpenDialect[] = []): void {
  const {
    name,
    route,
    wrapper,
    ask,
    coresAt,
    strange,
    noAsk,
    accept,
    reject,
    noUpdate,
    hear,
    stateOf,
  } = client;

  describe(`the dialect ${name}`, () => {
    const service = serveTests(SITE, RULES, {}, [...DIALECTS, ...more]);

    const send = async (path: string, document?: unknown, headers: Record<string, string> = {}) => {
      const body = document === undefined ? {} : { method: 'POST', body: dump(document) };
      const url = path.startsWith('http') ? path : service.url + path;
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { 'Content-Type': 'application/yaml', ...headers },
        ...body,
      });
      const text = await response.text();
      const isDocument = /yaml|json/.test(response.headers.get('content-type') ?? '');
      return {
        status: response.status,
        headers: response.headers,
        text,
        document: isDocument ? load(text) : undefined,
      };
    };
    const heard = async (
      document: object,
      query = '',
      headers: Record<string, string> = {},
    ): Promise<HeardAnswer> => hear((await send(route + query, document, headers)).document);
    const oneOffer = async (): Promise<HeardOffer> => {
      const {
        offers: [offer],
      } = await heard(ask(1));
      if (offer === undefined) throw new Error('no offer');
      return offer;
    };
    const askCount = (): Promise<number> => service.db.database.ask.count();

    test('answers an ask that fits with offers, each at a URL of its own', async () => {
      const { isYes, offers } = await heard(ask(2));
      expect([isYes, offers.length > 0]).toEqual([true, true]);
      expect(offers.every(({ cores }) => cores >= 2)).toBe(true);
      for (const { url } of offers) expect(stateOf((await send(url)).document)).toBe('OFFERED');
    });

    test('reads an ask with its key around it', async () => {
      expect((await heard({ [wrapper]: ask(1) })).isYes).toBe(true);
    });

    test('answers in JSON as in YAML', async () => {
      const { headers, text } = await send(route, ask(1), { Accept: 'application/json' });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(hear(JSON.parse(text)).isYes).toBe(true);
    });

    test('speaks XML as it speaks YAML: an ask, its answer, an update and the offer', async () => {
      const inXml = async (path: string, document: object): Promise<unknown> => {
        const response = await fetch(service.url + path, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'Content-Type': 'application/xml', Accept: 'application/xml' },
          body: xmlOf(document, mapping.sent('POST', path)[0]),
        });
        expect(response.headers.get('content-type')).toMatch(/^application\/xml/);
        const answered = mapping.answered('POST', path, response.status);
        return readXml(await response.text(), answered === undefined ? [] : [answered]);
      };
      const { offers } = hear(await inXml(route, ask(1)));
      expect(offers.length).toBeGreaterThan(0);
      const path = new URL(offers[0]?.url ?? '').pathname;
      expect(stateOf(await inXml(path, accept))).toBe('ACCEPTED');
    });

    test('makes a job of an accepted offer, and the same job when it is accepted again', async () => {
      const { id, url } = await oneOffer();
      for (let times = 1; times <= 2; times += 1) {
        const { status, document } = await send(url, accept);
        expect([status, stateOf(document)]).toEqual([200, 'ACCEPTED']);
      }
      expect((await send(`/jobs/${id}/phase`)).text).toBe('QUEUED');
    });

    test('keeps the document of the client, who finds it with the job', async () => {
      const { id, url } = await oneOffer();
      await send(url, accept);
      expect((await send(`/jobs/${id}/parameters/REQUEST`)).document).toEqual(ask(1));
    });

    test('lets nobody accept what was rejected', async () => {
      const { url } = await oneOffer();
      expect(stateOf((await send(url, reject)).document)).toBe('REJECTED');
      expect((await send(url, accept)).status).toBe(409);
      expect(stateOf((await send(url)).document)).toBe('REJECTED');
    });

    test('refuses an update that it does not know', async () => {
      const { url } = await oneOffer();
      expect((await send(url, noUpdate)).status).toBe(400);
      expect(stateOf((await send(url)).document)).toBe('OFFERED');
    });

    test('says NO with reasons that name their place in its own words', async () => {
      const { isYes, reasons } = await heard(ask(64));
      expect(isYes).toBe(false);
      expect(reasons.map(({ path }) => path)).toContain(coresAt);
      expect(reasons.every(({ text }) => text.includes('small') && text.includes('64'))).toBe(true);
    });

    test('says what would be a YES as an ask of its own, and that is a YES when it is sent', async () => {
      const { nearest } = await heard(ask(64));
      expect(nearest).toEqual(ask(6));
      expect((await heard(nearest ?? {})).isYes).toBe(true);
    });

    test('says NO to what it does not understand, and where that is', async () => {
      const { isYes, reasons } = await heard(strange.ask);
      expect([isYes, reasons.map(({ path }) => path)]).toEqual([false, [strange.at]]);
    });

    test('does not take for an ask what is none, and keeps nothing of it', async () => {
      const before = await askCount();
      const { status, document } = await send(route, noAsk);
      expect([status, Object(document).code]).toEqual([400, 'body-not-an-ask']);
      expect(await askCount()).toBe(before);
    });

    test('answers a dry run, and keeps nothing of it', async () => {
      const before = await askCount();
      expect((await send(`${route}?dry-run=true`, ask(1))).status).toBe(200);
      expect(hear((await send(`${route}?dry-run=true`, ask(64))).document).nearest).toEqual(ask(6));
      expect(await askCount()).toBe(before);
    });

    test('gives the same answer to the same request with the same key', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      const [first, again] = [await heard(ask(1), '', key), await heard(ask(1), '', key)];
      expect(again.offers.map(({ id }) => id)).toEqual(first.offers.map(({ id }) => id));
      expect((await send(route, ask(2), key)).status).toBe(422);
    });

    test('gives the same NO again, with the same nearest ask', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      expect(await heard(ask(64), '', key)).toEqual(await heard(ask(64), '', key));
    });

    test('is known on the job list by its document: a YES is a job, and a NO says where', async () => {
      const yes = await send('/jobs', ask(1));
      expect([yes.status, yes.headers.get('location')]).toEqual([
        303,
        expect.stringContaining('/jobs/'),
      ]);
      const no = await send('/jobs', { [wrapper]: ask(64) });
      expect([no.status, no.text]).toEqual([403, expect.stringContaining(`- ${coresAt}: small: `)]);
    });

    test('has its offers shown in the first dialect too, by the same id', async () => {
      const { id } = await oneOffer();
      expect(Object((await send(`/offers/${id}`)).document).offer.status).toBe('OFFERED');
    });

    test('is told of in explanations: why it was NO, in the words of the answer', async () => {
      await heard(ask(64));
      const last = await service.db.database.ask.findFirstOrThrow({
        orderBy: { createdAt: 'desc' },
      });
      const { explanation } = Object((await send(`/asks/${last.id}/explain`)).document);
      expect(explanation.reasons[0].path).toBe(coresAt);
    });

    test('has OPTIONS say what its places take, and HEAD look at an offer', async () => {
      const options = await fetch(service.url + route, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).toEqual([
        204,
        expect.stringMatching(/^(?:GET, HEAD, )?OPTIONS, POST$/),
      ]);
      const { url } = await oneOffer();
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    });
  });
}

/** A document that a client sends, without the key that it may put around it. */
function xmlOf(document: object, as: XmlDocument | undefined): string {
  const [only, ...more] = Object.entries(document);
  return writeXml(only?.[0] === as?.root && more.length === 0 ? only?.[1] : document, as);
}
