import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runMigrations } from 'graphile-worker';
import { Client, Pool } from 'pg';
import { openDatabase, type Database } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openSeed } from '../../src/dialects/seed/seed.ts';
import { createClaims } from '../../src/executor/claims.ts';
import { openRequestOf } from '../../src/http/asks/job-documents.ts';
import { findAsk } from '../../src/planner/record/kept-ask.ts';
import { findOffer } from '../../src/planner/record/offer-rows.ts';
import { createPurge } from '../../src/sweeper/purge.ts';
import { guard, sweep } from '../../src/sweeper/sweep.ts';
import { readJob } from '../../src/uws/store/read-job.ts';
import { parseAskId, parseOfferId, type OfferId } from '../../src/words/ids.ts';
import { accept, placeOffers } from '../harness/book.ts';
import { contract, contractFaults } from '../harness/contract.ts';
import { applyMigrations, createEmpty, migrationNames } from './earlier.ts';

/** The last migration of the previous version. */
const LAST = '20261122090000_guard';
const [OPEN, RUNNING, DONE, WAITING, NO] = [1, 2, 3, 4, 5] as const;

const PROMISE = JSON.stringify({
  taskType: 'https://www.purl.org/ivoa-net/task-type/executable',
  task: { type: 'executable', command: ['sort', 'list'], environment: { LANG: 'C' } },
  parts: [
    {
      replicas: 1,
      cores: { min: 2000 },
      memory: { min: 1024 },
      volumes: [],
      path: 'resources.compute[0]',
    },
  ],
  cores: { min: 2000, max: 2000 },
  memory: { min: 1024, max: 1024 },
  scratch: 1024,
  storage: [],
});

/** The requirements of an ask for 2 cores and 4 to 8 GiB. */
const REQUIREMENTS = [
  ['cores_min', 2],
  ['ram_min', 4],
  ['ram_max', 8],
] as const;
const INPUTS = {
  job: {
    tool: {
      id: 'executable/sort',
      requirements: REQUIREMENTS.map(([type, value]) => ({ type, value })),
    },
    user: null,
    roles: [],
    inputs: [],
  },
  circumstances: { seed: 1, now: 0 },
};

async function openLastVersion(): Promise<string> {
  const url = await createEmpty();
  const pgPool = new Pool({ connectionString: url, max: 1 });
  pgPool.on('error', () => undefined);
  pgPool.on('connect', (one) => one.on('error', () => undefined));
  await runMigrations({ pgPool });
  await pgPool.end();
  const client = new Client({ connectionString: url });
  await client.connect();
  await applyMigrations(
    client,
    (await migrationNames()).filter((one) => one <= LAST),
  );
  await write(client);
  await client.end();
  return url;
}

/** Writes an ask as that version did, through its own functions. */
async function write(client: Client): Promise<void> {
  await client.query(
    `INSERT INTO destination (id, cores, memory_mib, scratch_mib, gpus) VALUES ('a', 8000, 1000000, 1000000, '{}')`,
  );
  const ask = (n: number) => ({
    id: askOf(n),
    owner: 'anonymous',
    result: n === NO ? 'NO' : 'YES',
    description: { taskType: 'as understood' },
    inputs: n === NO ? INPUTS : {},
    rulesDigest: 'r',
    traceKey: 't',
    reasons: { lists: [], of: [] },
  });
  const times = {
    startsAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const amount = { cores: 2000, memory: 1024, scratch: 1024, gpuType: null, gpus: 0 };
  const yes = [OPEN, RUNNING, DONE, WAITING];
  const offers = yes.map((n) => ({
    id: idOf(n),
    ask: askOf(n),
    owner: 'anonymous',
    place: 0,
    destination: 'a',
    runner: 'process',
    promise: JSON.parse(PROMISE),
    ...amount,
    ...times,
    durationS: 600,
    prepareS: 0,
    startWindowS: 60,
    releaseS: 10,
  }));
  const holds = yes.map((n) => ({
    ask: askOf(n),
    destination: 'a',
    ...amount,
    ...times,
    endsAt: new Date(Date.now() + 7_200_000).toISOString(),
  }));
  const {
    rows: [placed],
  } = await client.query('SELECT place_answers(now(), $1, $2, $3, $4) AS placed', [
    JSON.stringify([{ key: 't', steps: ['a step'] }]),
    JSON.stringify([...yes, NO].map(ask)),
    JSON.stringify(offers),
    JSON.stringify(holds),
  ]);
  if (Object(placed).placed.conflicts.length > 0) throw new Error('the answers found no room');
  for (const n of [RUNNING, DONE, WAITING])
    await client.query(
      `SELECT accept_offer($1, 'anonymous', 'AUTO', interval '1 hour', interval '7 days')`,
      [idOf(n)],
    );
  for (const n of [RUNNING, DONE]) {
    await client.query(`SELECT begin_job($1, 'old', 'host-1', interval '10 seconds')`, [idOf(n)]);
    await client.query(`SELECT advance_job($1, 'old', 'RUNNING')`, [idOf(n)]);
  }
  await client.query(`SELECT advance_job($1, 'old', 'RELEASING')`, [idOf(DONE)]);
  await client.query(`SELECT finish_job($1, 'old', 'COMPLETED', NULL, $2)`, [
    idOf(DONE),
    JSON.stringify([{ id: 'stdout', place: 0, path: 'stdout', mimeType: 'text/plain', size: 5 }]),
  ]);
  await client.query(`INSERT INTO job_parameter (job_id, name, content) VALUES ($1, 'MINE', 'x')`, [
    idOf(RUNNING),
  ]);
}

function askOf(n: number): string {
  return `01890a5d-ac96-774b-bcce-b302099a800${n}`;
}

function idOf(n: number): OfferId {
  const id = parseOfferId(`01890a5d-ac96-774b-bcce-b302099a900${n}`);
  if (id === undefined) throw new Error('no id');
  return id;
}

describe('a database of the version before, in use', () => {
  let url: string;
  let database: Database;
  beforeAll(async () => {
    url = await openLastVersion();
    database = openDatabase(url, 4);
    await migrate(url);
  });
  afterAll(() => database?.$disconnect());
  const ofHost = () =>
    createClaims(database, { executor: 'new', home: { host: 'host-1' }, leaseSeconds: 10 });

  test('has the same in its book: nothing that is reserved is offered again', async () => {
    expect(await placeOffers(database, [{ destination: 'a', cores: 4 }])).toBeUndefined();
    expect(await placeOffers(database, [{ destination: 'a', cores: 2 }])).toBeDefined();
    await sweep(database);
    expect(await guard(database)).toBe(0);
  });

  test('lets its open offer be accepted', async () => {
    expect(await accept(database, idOf(OPEN))).toMatchObject({ verdict: 'accepted' });
    expect(await findOffer(database, idOf(OPEN), 'anonymous')).toMatchObject({ state: 'ACCEPTED' });
  });

  test('lets an executor of its host go on with the running job, to its end with its results', async () => {
    await database.$executeRaw`
      UPDATE job SET lease_until = clock_timestamp() - interval '1 second'
      WHERE id = ${idOf(RUNNING)}::uuid`;
    const claims = ofHost();
    expect(await claims.goOn(idOf(RUNNING))).toMatchObject({ verdict: 'resume' });
    const job = await claims.read(idOf(RUNNING));
    expect(job).toMatchObject({
      state: 'RUNNING',
      promise: { task: { command: ['sort', 'list'] } },
    });
    if (job === undefined) throw new Error('no job');
    await claims.advance(job, 'RELEASING');
    await claims.finish(job, { state: 'COMPLETED', fault: null }, [
      { id: 'stdout', path: 'stdout', mimeType: 'text/plain', size: 7 },
    ]);
    expect(await readJob(database, job.id)).toMatchObject({
      state: 'COMPLETED',
      results: [{ id: 'stdout', size: expect.anything() }],
      parameters: [{ name: 'MINE' }],
    });
  });

  test('starts the job that waited', async () => {
    expect(await ofHost().next('a')).toMatchObject({ verdict: 'begin', job: idOf(WAITING) });
  });

  test('shows the finished job, its results and its ask, which can be asked again', async () => {
    expect(await readJob(database, idOf(DONE))).toMatchObject({
      state: 'COMPLETED',
      results: [{ id: 'stdout' }],
    });
    const request: unknown = JSON.parse(
      JSON.stringify(await openRequestOf(database, [openSeed(contract)])(idOf(DONE))),
    );
    expect(contractFaults('Ask', request)).toEqual([]);
    expect(request).toMatchObject({
      task: {
        type: 'https://www.purl.org/ivoa-net/task-type/executable',
        spec: { command: ['sort', 'list'] },
      },
    });
  });

  test('repeats its recorded decisions from the amounts of the ask, under their present names', async () => {
    const no = parseAskId(askOf(NO));
    const types = ['cores_min', 'mem_min', 'mem_max'];
    expect(no && (await findAsk(database, no, 'anonymous'))).toMatchObject({
      inputs: {
        job: {
          tool: {
            requirements: REQUIREMENTS.map(([, value], index) => ({ type: types[index], value })),
          },
        },
        circumstances: { seed: 1 },
      },
    });
  });

  test('explains its NO, and removes it when its time is over', async () => {
    const no = parseAskId(askOf(NO));
    expect(no && (await findAsk(database, no, 'anonymous'))).toMatchObject({
      result: 'NO',
      trace: [],
    });
    await database.$executeRaw`UPDATE ask SET created_at = created_at - interval '2 days'`;
    expect(await createPurge(database, () => performance.now()).run()).toMatchObject({
      refusals: 1,
      offers: 0,
    });
  });
});
