import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClaims } from '../../src/executor/claims.ts';
import type { Executor } from '../../src/executor/executor.ts';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import type { Runner } from '../../src/runners/port.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { runnersOf } from '../../src/runners/registry.ts';
import type { OfferId } from '../../src/words/ids.ts';
import type { RunId } from '../../src/words/run-id.ts';
import { until } from '../cli/service-process.ts';
import { accept, placeProposals, propose, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { acceptedScript, executorHere, NO_URLS } from './executor.ts';

/** All destinations have a shared engine now. */
const HOME = { host: 'here', shared: { home: 'jobs:shared', destinations: ['here', 'there'] } };

let db: TestDatabase;
let root: string;
let executor: Executor | undefined;

beforeAll(async () => {
  db = await openTestDatabase();
  await writeSites(db.database, { here: 100, there: 100 });
  root = mkdtempSync('/var/tmp/other-runner-test-');
  chmodSync(root, 0o711);
});
afterEach(async () => executor?.close());
afterAll(async () => {
  await db.close();
  rmSync(root, { recursive: true, force: true });
});

/** An executor with these runners begins instead of the one before. */
async function begin(destinations: Readonly<Record<string, Runner>>): Promise<Executor> {
  await executor?.close();
  const jobsRoot = join(root, 'jobs');
  const runners = Object.entries(destinations).map(
    ([id, runner]) => [id, jobRunner(runner, jobsRoot)] as const,
  );
  executor = executorHere({
    claims: createClaims(db.database, {
      executor: `here:1:${Math.random()}`,
      home: { ...HOME, runners: runners.map(([, { name }]) => name) },
      leaseSeconds: 60,
    }),
    runners: runnersOf(new Map(runners), jobsRoot),
  });
  return executor;
}

/** A runner with this machine's processes. */
function processes(): Runner {
  return processRunner({ jobsRoot: join(root, 'jobs'), urls: NO_URLS });
}

/** A runner that has none of the jobs, and is reached from anywhere. */
const OTHER: Runner = {
  name: 'other',
  reach: 'anywhere',
  submit: async () => undefined,
  look: async () => ({ state: 'absent' }),
  stop: async () => undefined,
  remove: async () => undefined,
  forget: async () => undefined,
  onEnded: () => undefined,
  close: async () => undefined,
};

async function destroy(id: OfferId): Promise<void> {
  await db.database.$executeRaw`SELECT destroy_job(${id}::uuid)`;
}

/** Lets the executor look until a job is over. */
function ended(runs: Executor, id: OfferId): Promise<string> {
  return until('it has ended', async () => {
    await runs.beat();
    const state = await stateOf(id);
    return state === 'RUNNING' || state === 'RELEASING' ? undefined : state;
  });
}

/** Whether the record or the files of a job are there. */
async function leftOf(id: OfferId): Promise<object> {
  return { record: (await stateOf(id)) !== undefined, files: existsSync(join(root, 'jobs', id)) };
}

test('a job of a destination that gets another runner goes on where another destination has its own', async () => {
  const id = await acceptedScript(db.database, 'sleep 300');
  await (await begin({ here: processes() })).execute(id);
  expect(await stateOf(id)).toBe('RUNNING');
  const engine = processes();
  const next = await begin({ here: OTHER, there: engine });
  await next.execute(id);
  await next.beat();
  expect(await stateOf(id)).toBe('RUNNING');
  await destroy(id);
  expect(await ended(next, id)).toBe('CANCELLED');
  expect(await engine.look(id)).toMatchObject({ state: 'ended', outcome: { kind: 'stopped' } });
  await next.remove(id);
  expect(await leftOf(id)).toEqual({ record: false, files: false });
});

test('jobs whose runner no destination has wait until one has it again, and others do not wait for them', async () => {
  const [begun, waiting] = [
    await acceptedScript(db.database, 'sleep 300'),
    await acceptedScript(db.database, 'true'),
  ];
  await (await begin({ here: processes() })).execute(begun);
  const other = await acceptedScript(db.database, 'true');
  await db.database.$executeRaw`UPDATE offer SET runner = 'other' WHERE id = ${other}::uuid`;
  const without = await begin({ here: OTHER });
  for (const id of [begun, waiting, other]) await without.execute(id);
  await without.beat();
  const states = async () => [await stateOf(begun), await stateOf(waiting)];
  expect(await states()).toEqual(['RUNNING', 'ACCEPTED']);
  // The engine of this test has none of its jobs.
  expect(await stateOf(other)).toBe('FAILED');
  const next = await begin({ here: processes() });
  await next.execute(begun);
  await next.execute(waiting);
  expect(await ended(next, waiting)).toBe('COMPLETED');
  expect(await stateOf(begun)).toBe('RUNNING');
  await destroy(begun);
  expect(await ended(next, begun)).toBe('CANCELLED');
});

test('a job whose runner no destination has any more keeps its record and its files while it may run', async () => {
  const id = await acceptedScript(db.database, 'sleep 300');
  await (await begin({ here: processes() })).execute(id);
  const without = await begin({ here: OTHER });
  await destroy(id);
  await without.execute(id);
  expect(await stateOf(id)).toBe('FAILED');
  await expect(without.remove(id)).rejects.toThrow(`${id} may run`);
  await expect(without.stop(id)).rejects.toThrow('this executor has no runner process');
  expect(await leftOf(id)).toEqual({ record: true, files: true });
  const engine = processes();
  const next = await begin({ here: engine });
  await next.stop(id);
  expect(await engine.look(id)).toMatchObject({ state: 'ended', outcome: { kind: 'stopped' } });
  await next.remove(id);
  expect(await leftOf(id)).toEqual({ record: false, files: false });
});

test('the files of a job that has ended are removed though no destination has its runner any more', async () => {
  const id = await acceptedScript(db.database, 'echo done');
  const first = await begin({ here: processes() });
  await first.execute(id);
  expect(await ended(first, id)).toBe('COMPLETED');
  const without = await begin({ here: OTHER });
  await destroy(id);
  expect(await leftOf(id)).toEqual({ record: true, files: true });
  await without.remove(id);
  expect(await leftOf(id)).toEqual({ record: false, files: false });
});

test('a job with GPUs whose destination is gone waits for it, as others have other GPUs', async () => {
  const plain = propose({ destination: 'here', cores: 1 });
  const gpus = { type: 'urn:gpu', count: 1 };
  const [id] =
    (await placeProposals(db.database, [
      { ...plain, promised: { ...plain.promised, gpus }, amount: { ...plain.amount, gpus } },
    ])) ?? [];
  if (id === undefined) throw new Error('no offer');
  await accept(db.database, id);
  const given: RunId[] = [];
  const engine: Runner = {
    ...OTHER,
    name: 'process',
    submit: async ({ job }) => void given.push(job),
  };
  const gone = await begin({ there: engine });
  await gone.execute(id);
  expect([await stateOf(id), given]).toEqual(['WAITING', []]);
  await db.database.$executeRaw`UPDATE job SET lease_until = now() WHERE id = ${id}::uuid`;
  await (await begin({ here: engine, there: OTHER })).execute(id);
  expect(given).toEqual([id]);
});

test('a job of this machine is begun as one, though its destination has a shared engine by now', async () => {
  const id = await acceptedScript(db.database, 'sleep 300');
  const runs = await begin({ here: OTHER, there: processes() });
  await runs.execute(id);
  // Executors of other hosts would find none of its processes.
  expect(
    await db.database.$queryRaw`
      SELECT o.state::text, j.host FROM offer o JOIN job j ON j.id = o.id WHERE o.id = ${id}::uuid`,
  ).toEqual([{ state: 'RUNNING', host: 'here' }]);
  await destroy(id);
  expect(await ended(runs, id)).toBe('CANCELLED');
});

async function stateOf(id: OfferId): Promise<string | undefined> {
  const [row] = await db.database.$queryRaw<
    { state: string }[]
  >`SELECT o.state::text FROM offer o JOIN job j ON j.id = o.id WHERE o.id = ${id}::uuid`;
  return row?.state;
}
