import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { placeAnswers } from '../../src/planner/record/write-answers.ts';
import { writeResultPools } from '../../src/schedule/results.ts';
import { mebibytes } from '../../src/words/units.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeOffers, placementOf, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const BEGIN_TERMS = "'e', 'h', interval '1 minute', '{}'::jsonb, interval '5 minutes'";

/**
 * One transaction waits after its first lock, a second one wants the same locks, then the first one
 * continues.
 */
describe('decisions that meet wait for each other, and never deadlock', () => {
  let db: TestDatabase;
  let first: Client;
  let second: Client;
  beforeAll(async () => {
    db = await openTestDatabase();
    await writeSites(db.database, { a: 1, b: 1 });
    [first, second] = [
      new Client(db.url),
      new Client({ connectionString: db.url, application_name: 'second' }),
    ];
    await Promise.all([first.connect(), second.connect()]);
  });
  afterAll(async () => {
    await Promise.all([first?.end(), second?.end()]);
    await db?.close();
  });

  const isWaiting = (name: string) =>
    until(`${name} waits for a lock`, async () =>
      (
        await first.query(
          'SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND datname = ' +
            "current_database() AND wait_event_type = 'Lock'",
          [name],
        )
      ).rowCount === 0
        ? undefined
        : true,
    );
  /** A job whose claim has ended before it began. */
  const lateJob = async (): Promise<string> => {
    const [id] = (await placeOffers(db.database, [{ destination: 'a', cores: 1 }])) ?? [];
    if (id === undefined) throw new Error('there was no room');
    await accept(db.database, id);
    await first.query("UPDATE offer SET starts_at = starts_at - interval '1 day' WHERE id = $1", [
      id,
    ]);
    await first.query(
      "UPDATE reservation SET starts_at = starts_at - interval '1 day', ends_at = ends_at - " +
        "interval '1 day' WHERE offer_id = $1",
      [id],
    );
    return id;
  };

  test('a job that ends while its claim is about to move on', async () => {
    const id = await lateJob();
    await first.query('BEGIN');
    await first.query('SELECT 1 FROM offer WHERE id = $1 FOR UPDATE', [id]);
    await first.query('UPDATE job SET destroyed_at = clock_timestamp() WHERE id = $1', [id]);
    const moving = second.query("SELECT keep_claims('a') AS moved");
    await isWaiting('second');
    await first.query("SELECT abort_job($1, '{}')", [id]);
    await first.query('COMMIT');
    expect((await moving).rows).toEqual([{ moved: 0 }]);
  });

  test('a job that one executor starts while another looks for the next at its destination', async () => {
    const id = await lateJob();
    await first.query('BEGIN');
    await first.query("SELECT 1 FROM destination WHERE id = 'a' FOR NO KEY UPDATE");
    const beginning = second.query(`SELECT begin_job($1, ${BEGIN_TERMS}) AS said`, [id]);
    await isWaiting('second');
    expect((await first.query(`SELECT job FROM begin_next('a', ${BEGIN_TERMS})`)).rows).toEqual([
      { job: id },
    ]);
    await first.query('COMMIT');
    expect((await beginning).rows).toEqual([{ said: 'resume' }]);
  });

  test('accepts of the same answers in any order', async () => {
    const offers = [];
    for (let n = 0; n < 2; n += 1)
      offers.push(...((await placeOffers(db.database, [{ destination: 'b', cores: 0 }])) ?? []));
    const { rows } = await first.query(
      'SELECT id FROM ask WHERE id IN (SELECT ask_id FROM offer WHERE id = ANY ($1)) ORDER BY id',
      [offers],
    );
    const lock = 'SELECT 1 FROM ask WHERE id = $1 FOR UPDATE NOWAIT';
    await first.query('BEGIN');
    await first.query(lock, [rows[0].id]);
    const accepting = second.query(
      `SELECT verdict FROM accept_offers($1, '{anonymous,anonymous}', '{AUTO,AUTO}', '{1 h,1 h}',
        '{1 d,1 d}', NULL)`,
      [offers.toReversed()],
    );
    await isWaiting('second');
    await first.query(lock, [rows[1].id]);
    await first.query('COMMIT');
    expect((await accepting).rows).toEqual([{ verdict: 'accepted' }, { verdict: 'accepted' }]);
  });

  test('answers that take pools of results in any order', async () => {
    await writeResultPools(
      db.database,
      new Map([
        ['a', { name: 'first', size: mebibytes(100) }],
        ['b', { name: 'second', size: mebibytes(100) }],
      ]),
    );
    await first.query('BEGIN');
    await first.query("SELECT 1 FROM result_pool WHERE name = 'first' FOR NO KEY UPDATE");
    const answers = ['b', 'a'].map((destination) => {
      const one = propose({ destination, cores: 2 });
      return placementOf([
        {
          ...one,
          promised: { ...one.promised, results: mebibytes(1) },
          resultPool: destination === 'a' ? 'first' : 'second',
        },
      ]);
    });
    const placing = placeAnswers(db.database, answers, Date.now(), new Map());
    await until('the answers wait', async () =>
      (await first.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rowCount === 0
        ? undefined
        : true,
    );
    await first.query("SELECT 1 FROM result_pool WHERE name = 'second' FOR NO KEY UPDATE NOWAIT");
    await first.query('COMMIT');
    expect((await placing).verdicts.size).toBe(2);
  });
});
