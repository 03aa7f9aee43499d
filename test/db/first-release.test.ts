import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { openDatabase, type Database } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { printOffer } from '../../src/dialects/seed/print.ts';
import { printableOffer } from '../../src/planner/told.ts';
import { findOffer } from '../../src/planner/record/offer-rows.ts';
import { readKeptDecision } from '../harness/kept-decision.ts';
import { readOutlook } from '../../src/schedule/book.ts';
import { guard, sweep } from '../../src/sweeper/sweep.ts';
import { parseAskId, parseOfferId } from '../../src/words/ids.ts';
import { accept, placeOffers } from '../harness/book.ts';
import { contractFaults } from '../harness/contract.ts';
import { applyMigrations, createEmpty, migrationNames } from './earlier.ts';

/** The schema of version 0.1.0. */
const FIRST = ['20261121000000_conversation', '20261121000100_functions', '20261121000200_jobs'];
const ASK = '01890a5d-ac96-774b-bcce-b302099a8001';
const [OPEN, TAKEN] = [
  '01890a5d-ac96-774b-bcce-b302099a8002',
  '01890a5d-ac96-774b-bcce-b302099a8003',
] as const;

/**
 * A promise of version 0.1.0, which had one compute item, with name and volumes next to its
 * amounts.
 */
const PROMISE = JSON.stringify({
  taskType: 'https://www.purl.org/ivoa-net/task-type/executable',
  task: { type: 'executable', command: ['sort', 'list'], environment: { LANG: 'C' } },
  name: 'it',
  cores: { min: 3000, max: 4000 },
  memory: { min: 1024, max: 1024 },
  scratch: 1024,
  gpus: { type: 'urn:gpu', count: 1 },
  volumes: [{ name: 'space', path: 'scratch', mode: 'rw' }],
  storage: [{ name: 'space', size: 1024 }],
});

// Rows of version 0.1.0: an answer that can still be accepted, and a job that has not begun.
const DATA = `
  INSERT INTO destination (id, cores, memory_mib, scratch_mib, gpus) VALUES ('a', 8000, 1000000, 1000000, '{}');
  INSERT INTO ask (id, owner, result, description, inputs, rules_digest, trace, reasons)
    VALUES ('${ASK}', 'anonymous', 'YES', '{}', '{"job": 1}', 'digest', '["a step"]', '[]'),
      ('01890a5d-ac96-774b-bcce-b302099a8009', 'anonymous', 'YES', '{}', '{}', '', '[]', '[]');
  INSERT INTO offer (id, ask_id, place, owner, state, destination_id, runner, expires_at,
    decided_at, promise, cores, memory_mib, scratch_mib, starts_at, duration_s, start_window_s,
    release_s)
    VALUES ('${OPEN}', '${ASK}', 0, 'anonymous', 'OFFERED', 'a', 'process',
      now() + interval '1 hour', NULL, '${PROMISE}', 3000, 1024, 1024, now(), 600, 60, 10),
           ('${TAKEN}', '01890a5d-ac96-774b-bcce-b302099a8009', 0, 'anonymous', 'ACCEPTED', 'a',
             'process', now() + interval '1 hour', now(), '${PROMISE}', 2000, 1024, 1024, now(),
             600, 60, 10);
  INSERT INTO job (id, owner, start_mode, start_before, execution_s, destruction_at)
  VALUES ('${TAKEN}', 'anonymous', 'AUTO', now() + interval '1 hour', 600,
    now() + interval '1 day');
  INSERT INTO reservation (ask_id, offer_id, destination_id, state, starts_at, ends_at, expires_at,
    cores, memory_mib, scratch_mib)
    VALUES ('${ASK}', NULL, 'a', 'HELD', now(), now() + interval '2 hours',
      now() + interval '1 hour', 3000, 1024, 1024),
           ('01890a5d-ac96-774b-bcce-b302099a8009', '${TAKEN}', 'a', 'FIRM', now(),
             now() + interval '670 s', NULL, 2000, 1024, 1024);`;

/** A database of the first release with the same table of applied migrations. */
async function openFirstRelease(): Promise<string> {
  const url = await createEmpty();
  const client = new Client({ connectionString: url });
  await client.connect();
  // The functions of the first release need the queue's schema to exist.
  await client.query('CREATE SCHEMA graphile_worker');
  await client.query(
    'CREATE FUNCTION graphile_worker.add_job(text, json, run_at timestamptz, max_attempts ' +
      'int, job_key text) RETURNS void LANGUAGE sql AS $$ $$',
  );
  await applyMigrations(client, FIRST);
  await client.query('DROP SCHEMA graphile_worker CASCADE');
  await client.query(DATA);
  await client.end();
  return url;
}

describe('a data directory of the first release', () => {
  let url: string;
  let database: Database;
  beforeAll(async () => {
    url = await openFirstRelease();
    database = openDatabase(url, 4);
  });
  afterAll(() => database.$disconnect());

  test('is brought up to date with everything in it', async () => {
    const all = await migrationNames();
    expect(await migrate(url)).toEqual(all.filter((name) => !FIRST.includes(name)));
    expect((await readOutlook(database)).live.get('a')).toEqual({
      cores: 5000,
      memory: 2048,
      scratch: 2048,
      results: null,
    });
    const id = parseAskId(ASK);
    expect(id && (await readKeptDecision(database, id))).toEqual({
      inputs: { job: 1 },
      rulesDigest: 'digest',
      trace: ['a step'],
    });
  });

  test('shows its offers like those of today', async () => {
    for (const id of [OPEN, TAKEN].map(parseOfferId)) {
      const row = id && (await findOffer(database, id, 'anonymous'));
      if (row === undefined) throw new Error(`no offer ${id}`);
      const offer = printOffer(printableOffer(row, { kind: 'anonymous' }), 'http://planner');
      expect(contractFaults('Offer', JSON.parse(JSON.stringify(offer)))).toEqual([]);
      expect(offer.request).toEqual({
        task: {
          type: 'https://www.purl.org/ivoa-net/task-type/executable',
          spec: { command: ['sort', 'list'], environment: { LANG: 'C' } },
        },
        resources: {
          compute: [
            {
              name: 'it',
              'min-cores': 3,
              'max-cores': 4,
              'min-memory': '1Gb',
              'max-memory': '1Gb',
              gpu: { type: 'urn:gpu', count: 1 },
              volumes: [{ name: 'space', path: 'scratch', mode: 'rw' }],
            },
          ],
          storage: [
            {
              name: 'space',
              type: 'https://www.purl.org/ivoa-net/storage-type/ephemeral',
              size: '1Gb',
            },
          ],
        },
      });
    }
  });

  test('keeps its promises: its open offer can be accepted, and nothing is oversold', async () => {
    expect(await placeOffers(database, [{ destination: 'a', cores: 4 }])).toBeUndefined();
    expect(await placeOffers(database, [{ destination: 'a', cores: 3 }])).toBeDefined();
    const open = parseOfferId(OPEN);
    expect(open && (await accept(database, open))).toMatchObject({ verdict: 'accepted' });
    expect(open && (await findOffer(database, open, 'anonymous'))).toMatchObject({
      state: 'ACCEPTED',
    });
    expect(await sweep(database)).toMatchObject({ lapsed: 0 });
    expect(await guard(database)).toBe(0);
  });
});
