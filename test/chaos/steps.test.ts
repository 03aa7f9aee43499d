import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { freePort } from '../harness/free-port.ts';
import { offersOf, openClient, type Reply } from '../harness/client.ts';
import { writeSite, type TestSite } from '../harness/site.ts';
import { openBreakpoints, type Breakpoints } from './breakpoints.ts';
import { connectBook, kill, type Victim } from './victims.ts';

/**
 * The database, the planner with its workers, and an executor alone die after every write of an
 * accept. After an ask's writes, the database dies at every second one, or with
 * `PLANNER_LONG_TESTS=1` at each, and then the planner, too.
 */
const LONG = process.env['PLANNER_LONG_TESTS'] === '1';
/** Every planner takes seconds to start, on a busy machine many times that. */
const TIMEOUT = 900_000;
const TYPE = 'https://www.purl.org/ivoa-net';
const destination = {
  runner: 'process',
  'task-types': ['executable'],
  cores: 1000,
  memory: '2000GiB',
  scratch: '40TiB',
};
const ASK = JSON.stringify({
  task: { type: `${TYPE}/task-type/executable`, spec: { command: ['true'] } },
  resources: {
    compute: [{ volumes: [{ name: 'kept', path: 'kept', mode: 'rw' }] }],
    storage: [
      { name: 'kept', type: `${TYPE}/storage-type/persistent`, size: '1GiB', lifetime: 'P1D' },
    ],
  },
});

/** The rows of one answer in the book, which must be complete or absent. */
const OF_ANSWER = `
  SELECT (SELECT count(*) FROM ask WHERE id = $1)::int AS asks,
    (SELECT count(*) FROM offer WHERE ask_id = $1)::int AS offers,
    (SELECT count(*) FROM offer WHERE ask_id = $1 AND state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED'))::int AS winners,
    (SELECT count(*) FROM job JOIN offer USING (id) WHERE ask_id = $1)::int AS jobs,
    (SELECT count(DISTINCT destination_id) FROM reservation WHERE ask_id = $1 AND state = 'HELD')::int AS held,
    (SELECT count(*) FROM reservation WHERE ask_id = $1 AND offer_id IS NOT NULL)::int AS firm,
    (SELECT count(*) FROM storage_reservation WHERE ask_id = $1 AND state = 'HELD')::int AS "storageHeld",
    (SELECT count(*) FROM storage_reservation WHERE ask_id = $1 AND state = 'FIRM')::int AS "storageFirm",
    (SELECT count(*) FROM storage_use JOIN offer ON offer.id = job_id WHERE ask_id = $1)::int AS "storageUses",
    (SELECT count(*) FROM quota_use WHERE ask_id = $1)::int AS quotas`;
const ANSWERED = {
  asks: 1,
  offers: 2,
  winners: 0,
  jobs: 0,
  held: 2,
  firm: 0,
  storageHeld: 1,
  storageFirm: 0,
  storageUses: 0,
  quotas: 1,
};
const ACCEPTED = {
  ...ANSWERED,
  winners: 1,
  jobs: 1,
  held: 0,
  firm: 1,
  storageHeld: 0,
  storageFirm: 1,
  storageUses: 1,
};
const BOOK = `
  SELECT (SELECT count(*) FROM ask)::int AS asks, (SELECT count(*) FROM idempotency)::int AS keys,
    (SELECT count(*) FROM reservation r WHERE NOT EXISTS (SELECT 1 FROM offer o
      WHERE o.ask_id = r.ask_id))::int AS orphans,
    guard_oversell() + guard_storage() + (SELECT count(*) FROM oversell_trip)::int AS trips`;

describe('kill -9 between every two writes of a decision', () => {
  let ground: Ground;
  let site: TestSite;
  let running: ServiceProcess;
  let start: () => Promise<string>;
  let send: ReturnType<typeof openClient>;
  let service: string;
  let stops: Breakpoints;
  const jobs: string[] = [];
  let decided = 0;

  beforeAll(async () => {
    ground = await openGround();
    site = await writeSite(
      {
        rules: ['rules.yml'],
        offers: { duration: 'PT2M', release: 'PT1S', lifetime: 'PT10M', 'max-offers': 2 },
        quotas: [{ for: 'anonymous', jobs: 1000, holds: 1000 }],
        storage: [
          {
            name: 'archive',
            type: 'directory',
            path: join(ground.folder, 'archive'),
            size: '1TiB',
          },
        ],
        destinations: { one: destination, two: destination },
      },
      { destinations: { one: { runner: 'process' }, two: { runner: 'process' } } },
    );
    const environment = { SITE_FILE: site.siteFile, PORT: String(await freePort()) };
    start = () => {
      running = ground.start({ environment });
      return running.ready();
    };
    service = await start();
    await until('it is ready', async () => (await fetch(`${service}/readyz`)).ok || undefined);
    send = openClient(service);
    stops = await openBreakpoints(ground);
  });
  afterAll(async () => {
    await stops.close();
    await running.stop();
    await site.remove();
    await ground.close();
  });

  /** Repeats the request until the service answers. */
  const insist = (path: string, body: string, key: string): Promise<Reply> =>
    until('a request is answered', async () => {
      const reply = await send(path, { body, headers: { 'Idempotency-Key': key } }).catch(
        () => undefined,
      );
      return reply === undefined || reply.status >= 500 ? undefined : reply;
    });
  const query = async (text: string, words: readonly unknown[]): Promise<object> => {
    const client = await until('the database answers', () =>
      connectBook(ground).catch(() => undefined),
    );
    const {
      rows: [row],
    } = await client.query(text, [...words]);
    await client.end();
    return Object(row);
  };
  const identOf = (reply: Reply): string => String(Object(reply.document['response']).ident);

  /**
   * Sends a decision that is stopped after its n-th write, kills the victim, and sends it again.
   * @returns undefined if it has no n-th write
   */
  const interrupt = async (
    path: string,
    body: string,
    key: string,
    step: number,
    victims: readonly Victim[],
  ): Promise<Reply | undefined> => {
    await stops.set(step);
    let isAnswered = false;
    const first = send(path, { body, headers: { 'Idempotency-Key': key } })
      .catch(() => undefined)
      .finally(() => {
        isAnswered = true;
      });
    const reached = await until('the decision stops or ends', async () =>
      (await stops.isReached()) ? 'stopped' : isAnswered ? 'ended' : undefined,
    );
    if (reached === 'ended') {
      await stops.clear();
      const reply = await first;
      expect(reply?.status).toBe(200);
      return undefined;
    }
    for (const victim of victims) await kill(ground, victim);
    await stops.clear();
    if (victims.includes('planner')) await start();
    await first;
    decided += 1;
    return insist(path, body, key);
  };

  /** Continues until a decision has no such step. @returns the first missing step */
  const eachStep = async (
    stride: number,
    one: (step: number) => Promise<boolean>,
  ): Promise<number> => {
    for (let step = 1; ; step += stride) if (!(await one(step))) return step;
  };

  /** @returns the number of writes of an accept */
  const accepts = async (victims: readonly Victim[]): Promise<number> => {
    const end = await eachStep(1, async (step) => {
      const answer = await insist('/request', ASK, randomUUID());
      const [offer] = offersOf(answer);
      if (offer === undefined) throw new Error(answer.text);
      jobs.push(offer.ident);
      await stops.steps();
      const reply = await interrupt(offer.href, 'status: ACCEPTED', randomUUID(), step, victims);
      if (reply !== undefined) expect(reply.status).toBe(200);
      expect({ step, ...(await query(OF_ANSWER, [identOf(answer)])) }).toEqual({
        step,
        ...ACCEPTED,
      });
      return reply !== undefined;
    });
    // The last accept was not stopped, so its writes are the list of steps.
    const steps = await stops.steps();
    for (const table of [
      'idempotency',
      'offer',
      'storage_reservation',
      'storage_use',
      'reservation',
      'job',
      '_private_jobs',
    ]) {
      expect(steps.join()).toMatch(new RegExp(`(INSERT|UPDATE) ${table}\\b`));
    }
    expect(steps.length).toBeLessThan(end);
    return steps.length;
  };

  /** @returns the first step that an answer does not have */
  const asks = async (victims: readonly Victim[]): Promise<number> => {
    const end = await eachStep(LONG ? 1 : 2, async (step) => {
      const key = randomUUID();
      await stops.steps();
      const reply = await interrupt('/request', ASK, key, step, victims);
      const again = await insist('/request', ASK, key);
      if (reply !== undefined) expect(identOf(reply)).toBe(identOf(again));
      expect({ step, ...(await query(OF_ANSWER, [identOf(again)])) }).toEqual({
        step,
        ...ANSWERED,
      });
      return reply !== undefined;
    });
    const steps = await stops.steps();
    for (const table of [
      'idempotency',
      'ask',
      'offer',
      'reservation',
      'quota_use',
      'storage_reservation',
    ])
      expect(steps.join()).toMatch(new RegExp(`INSERT ${table}\\b`));
    return end;
  };

  const everybody: readonly Victim[] = ['executor', 'sweeper', 'planner'];
  test.each([
    ['the database', ['postgres']],
    ['the planner and its workers', everybody],
    ['the executor', ['executor']],
  ] as const)(
    'of %s in an accept: the accept happens once and as a whole',
    async (_name, victims) => {
      expect(await accepts(victims)).toBeGreaterThan(10);
    },
    TIMEOUT,
  );

  test.each([
    ['the database', ['postgres']],
    ...(LONG ? [['the planner and its workers', everybody] as const] : []),
  ] as const)(
    'of %s in an ask: the ask is answered once and as a whole',
    async (_name, victims) => {
      expect(await asks(victims)).toBeGreaterThan(6);
    },
    TIMEOUT,
  );

  test('every job that was accepted meanwhile has run', async () => {
    expect(decided).toBeGreaterThan(10);
    for (const job of jobs)
      await until(
        `${job} is over`,
        async () => (await send(`/jobs/${job}/phase`)).text.trim() === 'COMPLETED' || undefined,
      );
    expect(await query(BOOK, [])).toMatchObject({ orphans: 0, trips: 0 });
  });
});
