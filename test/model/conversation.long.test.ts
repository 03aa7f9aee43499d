import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { connectBook, kill, type Victim } from '../chaos/victims.ts';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { offersOf, openClient, reasonsOf, type Reply } from '../harness/client.ts';
import { emptyBook } from '../harness/fleet.ts';
import { freePort } from '../harness/free-port.ts';
import { writeSite, type TestSite } from '../harness/site.ts';
import {
  createModel,
  type Decision,
  type During,
  type Model,
  type ModelOffer,
  type Told,
} from './model.ts';

/**
 * Two conversations, ten with `PLANNER_LONG_TESTS=1`: one has up to sixty acts and takes 25 seconds
 * of a core, mostly for planners that start again. `MODEL_SEED` replays conversations that failed.
 */
const RUNS = process.env['PLANNER_LONG_TESTS'] === '1' ? 10 : 2;
const SEED = process.env['MODEL_SEED'];
const CAPACITY = { one: 8, two: 5 };
const HOUR = Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 3_600_000;
function destination(cores: number): object {
  return {
    runner: 'process',
    'task-types': ['executable'],
    cores,
    memory: '900GiB',
    scratch: '90TiB',
  };
}
const SITE = {
  rules: ['rules.yml'],
  offers: { duration: 'PT10M', release: 'PT1S', lifetime: 'PT10S' },
  destinations: {
    one: destination(CAPACITY.one),
    two: destination(CAPACITY.two),
    quick: destination(500),
  },
};
const RULES = {
  tools: { 'executable/true': { scheduling: { require: ['quick'] } } },
  destinations: {
    one: { runner: 'process' },
    two: { runner: 'process' },
    quick: { runner: 'process', scheduling: { require: ['quick'] } },
  },
};

describe('a service, its workers and its database, any of which may die at any time', () => {
  let ground: Ground;
  let site: TestSite;
  let running: ServiceProcess;
  let environment: Readonly<Record<string, string>>;
  let send: ReturnType<typeof openClient>;
  let url = '';

  const start = async (): Promise<void> => {
    running = ground.start({ environment });
    url = await running.ready();
    send = openClient(url);
  };
  beforeAll(async () => {
    ground = await openGround();
    site = await writeSite(SITE, RULES);
    environment = { SITE_FILE: site.siteFile, PORT: String(await freePort()) };
    await start();
  });
  afterAll(async () => {
    await running.stop();
    await site.remove();
    await ground.close();
  });

  type Exchange = { readonly reply: Reply; readonly during: During };
  /** Repeats the request until it is answered: a decision stays even if the service dies. */
  const exchange = async (
    path: string,
    body: string | undefined,
    key?: string,
  ): Promise<Exchange> => {
    const sent = Date.now();
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    const reply = await until(`${path} is answered`, async () => {
      const one = await send(path, { ...(body === undefined ? {} : { body }), headers }).catch(
        () => undefined,
      );
      return one === undefined || one.status >= 500 ? undefined : one;
    });
    return { reply, during: { sent, answered: Date.now() } };
  };

  /** Counts real acts, so that empty conversations do not pass as success. */
  const tally = new Map<string, number>();
  const counted = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);

  let keys = 0;
  const ask = async (model: Model, cores: number, isQuick: boolean): Promise<void> => {
    const task = {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: [isQuick ? 'true' : 'sort'] },
    };
    const body = {
      task,
      resources: { compute: [{ 'min-cores': cores, 'max-cores': cores }] },
      ...(isQuick ? {} : { time: { start: new Date(HOUR).toISOString(), duration: 'PT10M' } }),
    };
    const { reply, during } = await exchange(
      '/request',
      JSON.stringify(body),
      `key-${(keys += 1)}-${HOUR}`,
    );
    const told = offersOf(reply).map((offer): Told => ({
      ident: offer.ident,
      destination: String(Object(offer).destination),
      expires: Date.parse(offer.expires),
    }));
    const where = told.map((one) => one.destination);
    if (told.length === 0) expect(reasonsOf(reply).length).toBeGreaterThan(0);
    if (isQuick) expect(new Set(where)).toEqual(new Set(['quick']));
    else {
      const { surely, perhaps } = model.room(cores, during);
      expect(where).toEqual(expect.arrayContaining([...surely]));
      expect(perhaps).toEqual(expect.arrayContaining(where));
    }
    model.answered(told, cores, isQuick);
  };

  const decide = async (model: Model, offer: ModelOffer, decision: Decision): Promise<void> => {
    const { reply, during } = await exchange(`/offers/${offer.ident}`, `status: ${decision}`);
    const right = model.statuses(offer, decision, during);
    expect({ decision, offer, right: right.includes(reply.status) ? right : reply.text }).toEqual({
      decision,
      offer,
      right,
    });
    model.decided(offer, decision, reply.status);
    counted(`${decision} ${reply.status}`);
  };

  const look = async (model: Model, offer: ModelOffer): Promise<void> => {
    const { reply, during } = await exchange(`/offers/${offer.ident}`, undefined);
    expect({ offer, seen: model.seen(offer, during) }).toEqual({
      offer,
      seen: expect.arrayContaining([Object(reply.document['offer']).status]),
    });
  };

  const strike = async (victim: Victim): Promise<void> => {
    await kill(ground, victim);
    counted('killed');
    if (victim === 'planner') await start();
  };
  const restart = async (): Promise<void> => {
    expect((await running.stop()).code).toBe(0);
    await start();
  };

  type Real = Record<string, never>;
  const command = (
    name: string,
    run: (model: Model) => Promise<void>,
    isPossible = (_model: Readonly<Model>): boolean => true,
  ): fc.AsyncCommand<Model, Real> => ({
    check: isPossible,
    run: (model) => run(model),
    toString: () => name,
  });
  const onOffer = (
    name: string,
    pick: number,
    run: (model: Model, offer: ModelOffer) => Promise<void>,
  ) =>
    command(
      `${name}(${pick})`,
      async (model) => {
        // Prefers late offers, since early ones have expired.
        const offer = model.offers.at(-1 - (pick % Math.max(1, model.offers.length)));
        if (offer !== undefined) await run(model, offer);
      },
      ({ offers }) => offers.length > 0,
    );

  const pick = fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(60) });
  const often = (
    times: number,
    one: fc.Arbitrary<fc.AsyncCommand<Model, Real>>,
  ): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] => Array.from({ length: times }, () => one);
  const commands = fc.commands(
    [
      ...often(
        6,
        fc
          .integer({ min: 1, max: 6 })
          .map((cores) => command(`ask(${cores})`, (model) => ask(model, cores, false))),
      ),
      ...often(3, fc.constant(command('askQuick', (model) => ask(model, 1, true)))),
      ...often(
        6,
        pick.map((at) => onOffer('accept', at, (model, offer) => decide(model, offer, 'ACCEPTED'))),
      ),
      ...often(
        3,
        pick.map((at) => onOffer('reject', at, (model, offer) => decide(model, offer, 'REJECTED'))),
      ),
      ...often(
        3,
        pick.map((at) =>
          onOffer('cancel', at, (model, offer) => decide(model, offer, 'CANCELLED')),
        ),
      ),
      ...often(
        3,
        pick.map((at) => onOffer('look', at, look)),
      ),
      ...often(1, fc.constant(command('expire', async () => void (await delay(5000))))),
      ...(['planner', 'executor', 'sweeper', 'postgres'] as const).map((victim) =>
        fc.constant(command(`kill -9 ${victim}`, () => strike(victim))),
      ),
      fc.constant(command('restart', restart)),
    ],
    { maxCommands: 60, size: 'max' },
  );

  /**
   * Waits until every hold and every quick job has ended; then the reservations equal the model's.
   */
  const settle = async (model: Model): Promise<void> => {
    const book = await until('the database answers', () =>
      connectBook(ground).catch(() => undefined),
    );
    const none = (what: string, text: string): Promise<unknown> =>
      until(what, async () => (await book.query(text)).rows.length === 0 || undefined);
    try {
      await none('every hold has ended', `SELECT 1 FROM reservation WHERE state = 'HELD'`);
      await none(
        'every quick job is over',
        `SELECT 1 FROM job JOIN offer USING (id) WHERE destination_id = 'quick' AND ended_at IS NULL`,
      );
      const { rows } = await book.query<{ id: string; cores: number }>(`
        SELECT d.id, coalesce(sum(r.cores), 0)::float8 / 1000 AS cores FROM destination d
        LEFT JOIN reservation r ON r.destination_id = d.id AND r.state IN ('HELD', 'FIRM') GROUP BY 1`);
      expect(Object.fromEntries(rows.map(({ id, cores }) => [id, cores]))).toEqual({
        ...model.firm(),
        quick: 0,
      });
      expect(
        (
          await book.query(
            'SELECT guard_oversell() + guard_storage() + (SELECT count(*) FROM oversell_trip) AS trips',
          )
        ).rows,
      ).toEqual([{ trips: '0' }]);
      await emptyBook((statement) => book.query(statement));
    } finally {
      await book.end();
    }
  };

  test('says what the model says, whatever is asked and decided and whoever is killed', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (list) => {
        const model = createModel(CAPACITY);
        // Random acts may be few; these always happen.
        await until('an offer is accepted before it expires', async () => {
          await ask(model, 1, false);
          const offer = model.offers.at(-1);
          if (offer !== undefined) await decide(model, offer, 'ACCEPTED');
          return tally.has('ACCEPTED 200');
        });
        await strike('executor');
        await fc.asyncModelRun(() => ({ model, real: {} }), list);
        await settle(model);
        expect([...tally.keys()]).toEqual(expect.arrayContaining(['ACCEPTED 200', 'killed']));
      }),
      { numRuns: RUNS, endOnFailure: true, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
  }, 900_000);
});
