import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lostRunners } from '../src/lost-runners.ts';
import { accept, placeOffers, writeSites } from './harness/book.ts';
import { openTestDatabase, type TestDatabase } from './harness/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100 });
});
afterAll(() => db.close());

test('a runner is lost with its last destination while jobs of it are unfinished', async () => {
  expect(await lost(['process'], ['slurm'])).toEqual([]);
  const [id] = (await placeOffers(db.database, [{ destination: 'here', cores: 1 }])) ?? [];
  if (id === undefined) throw new Error('no offer');
  // It may still be accepted.
  expect(await lost(['process', 'notebook'], ['slurm'])).toEqual(['process']);
  await accept(db.database, id);
  expect(await lost(['process', 'notebook'], ['slurm'])).toEqual(['process']);
  expect(await lost(['process', 'slurm'], ['slurm', 'process'])).toEqual([]);
  expect(await lostRunners(db.database, siteWith('slurm'))).toEqual(['process']);
  // A site that had none of it before takes nothing away.
  expect(await lost(['notebook'], ['slurm'])).toEqual([]);
  await db.database.$executeRaw`UPDATE job SET ended_at = clock_timestamp() WHERE id = ${id}::uuid`;
  expect(await lost(['process'], ['slurm'])).toEqual([]);
});

function lost(before: readonly string[], after: readonly string[]): Promise<readonly string[]> {
  return lostRunners(db.database, siteWith(...after), siteWith(...before));
}

/** A site with a destination for each of these runners. */
function siteWith(...runners: readonly string[]) {
  return {
    destinations: new Map(runners.map((runner, index) => [`d${index}`, { engine: { runner } }])),
  };
}
