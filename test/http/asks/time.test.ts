import { describe, expect, test } from '@jest/globals';
import { serveTests } from '../../harness/serve.ts';

const SITE = {
  rules: ['rules.yml'],
  offers: { duration: 'PT1H', 'start-window': 'PT10M' },
  destinations: {
    quick: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 8,
      memory: '8GiB',
      scratch: '80GiB',
    },
    slow: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 64,
      memory: '8GiB',
      scratch: '80GiB',
      prepare: 'PT5M',
    },
  },
};
const RULES = { destinations: { quick: { runner: 'process' }, slow: { runner: 'process' } } };
const TASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}';
const HOUR = 3_600_000;

type Offer = {
  readonly ident: string;
  readonly href: string;
  readonly expires: string;
  readonly time: { readonly start: string };
};

describe('an offer that starts later', () => {
  const service = serveTests(SITE, RULES);

  const post = (path: string, body: string, type = 'application/yaml'): Promise<Response> =>
    fetch(new URL(path, service.url), {
      method: 'POST',
      body,
      headers: { 'Content-Type': type, Accept: 'application/json' },
      redirect: 'manual',
    });
  const ask = async (more: string): Promise<readonly Offer[]> =>
    Object(await (await post('/request', `${TASK}\n${more}`)).json()).response.offers;
  const accept = async ({ href }: Offer, start: string): Promise<number> =>
    (await post(href, `{status: ACCEPTED, start: ${start}}`)).status;
  const job = async ({ ident }: Offer): Promise<Record<string, unknown>> =>
    Object(
      await (
        await fetch(`${service.url}/jobs/${ident}`, { headers: { Accept: 'application/json' } })
      ).json(),
    );
  const messages = (id: string): Promise<{ at: Date }[]> =>
    service.db.database
      .$queryRaw`SELECT run_at AS at FROM graphile_worker.jobs WHERE key = ${`execute:${id}`}`;
  const reserved = (id: string): Promise<{ from: Date; until: Date }[]> => service.db.database
    .$queryRaw`
    SELECT starts_at AS "from", ends_at AS until FROM reservation WHERE offer_id = ${id}::uuid AND state = 'FIRM'`;
  const start = Math.ceil(Date.now() / 60_000) * 60_000 + 2 * HOUR;

  test('is queued until then: executors hear of it at its start, and its quote is the end of its run', async () => {
    // A timestamp without quotes is a date to some readers of YAML.
    const [offer] = await ask(`time: ${new Date(start).toISOString()}`);
    if (offer === undefined) throw new Error('no offer');
    expect(offer.time.start).toBe(new Date(start).toISOString());
    expect(await accept(offer, 'auto')).toBe(200);
    expect(await job(offer)).toMatchObject({
      phase: 'QUEUED',
      quote: new Date(start + HOUR).toISOString(),
    });
    expect(await messages(offer.ident)).toEqual([{ at: new Date(start) }]);
    expect(await reserved(offer.ident)).toEqual([
      { from: new Date(start), until: new Date(start + HOUR + 630_000) },
    ]);
  });

  test('waits for its time, however early its client says RUN', async () => {
    const [offer] = await ask(`time: '${new Date(start).toISOString()}'`);
    if (offer === undefined) throw new Error('no offer');
    await accept(offer, 'client');
    expect(await job(offer)).toMatchObject({ phase: 'PENDING' });
    expect(await messages(offer.ident)).toEqual([]);
    expect(
      (await post(`/jobs/${offer.ident}/phase`, 'PHASE=RUN', 'application/x-www-form-urlencoded'))
        .status,
    ).toBe(303);
    expect(await job(offer)).toMatchObject({ phase: 'QUEUED' });
    expect(await messages(offer.ident)).toEqual([{ at: new Date(start) }]);
    const [row] = await service.db.database.$queryRaw<{ left: number }[]>`
      SELECT extract(epoch
        FROM start_before - ${new Date(start).toISOString()}::timestamptz)::int AS left FROM job
      WHERE id = ${offer.ident}::uuid`;
    expect(row?.left).toBeGreaterThanOrEqual(3600);
  });

  test('at a destination with a lead time reserves that too, and starts no sooner than it is ready', async () => {
    const asked = Date.now();
    const [offer] = await ask('resources: {compute: [{min-cores: 20}]}');
    if (offer === undefined) throw new Error('no offer');
    expect(Date.parse(offer.time.start)).toBeGreaterThanOrEqual(asked + 300_000);
    await accept(offer, 'auto');
    const [held] = await reserved(offer.ident);
    const [message] = await messages(offer.ident);
    expect(message?.at.getTime()).toBe((held?.from.getTime() ?? 0) + 300_000);
    expect(held?.from.getTime()).toBeGreaterThanOrEqual(asked);
  });

  test('expires before its start, so that no accept makes it late', async () => {
    const soon = Math.ceil(Date.now() / 1000) * 1000 + 60_000;
    const [offer] = await ask(`time: '${new Date(soon).toISOString()}'`);
    expect(offer?.expires).toBe(new Date(soon).toISOString());
  });
});
