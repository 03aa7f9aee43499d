import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../../src/db/client.ts';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { ensureDatabase, migrate } from '../../../src/db/migrate.ts';
import { openDoorkeeper } from '../../../src/identity/identify.ts';
import type { Guard } from '../../../src/planner/guard.ts';
import { createOutlook } from '../../../src/planner/plan/outlook.ts';
import { createPlacer } from '../../../src/planner/record/placer.ts';
import { openTraces } from '../../../src/planner/record/traces.ts';
import { openRates } from '../../../src/quotas/rates.ts';
import { readOutlook } from '../../../src/schedule/book.ts';
import { placementOf, propose, writeSites } from '../../harness/book.ts';
import { openFor } from '../../identity/identify.ts';
import { openIssuer } from '../../identity/issuer.ts';

/*
 * node test/bench/measures/guards.ts: the cost of quotas, keys and tokens. One placer writes
 * answers for 32 clients, like the planner, with and without a guard in the same run; see
 * docs/guides/quotas.md.
 */

const CLIENTS = 32;
const AMOUNT = 1600;
const ROUNDS = 3;

const GUARDS: Readonly<Record<string, (client: number) => Guard | undefined>> = {
  'without a guard': () => undefined,
  'a key for each': () => ({
    scopes: [],
    key: { key: randomUUID(), route: 'POST /request', bodyHash: 'x' },
  }),
  'a quota for each of 32 users': (client) => ({
    scopes: [{ scope: `user:${client}`, holds: 1e6, cores: 1e9, windowS: 0 }],
  }),
  'a quota for the site': () => ({
    scopes: [{ scope: 'site', holds: 1e6, cores: 1e9, windowS: 0 }],
  }),
};

const folder = await mkdtemp(join(tmpdir(), 'planner-bench-'));
await chmod(folder, 0o755);
const cluster = await startEmbedded({ directory: folder });
try {
  await ensureDatabase(cluster.url('postgres'), 'guards');
  await migrate(cluster.url('guards'));
  const database = openDatabase(cluster.url('guards'), 20);
  await writeSites(database, { d: 1_000_000 });
  await measureTokens();
  await measureRates(database);
  await measureGuards(database);
  await database.$disconnect();
} finally {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureGuards(database: Database): Promise<void> {
  const monotonic = (): number => performance.now();
  const outlook = createOutlook(monotonic);
  outlook.learn(await readOutlook(database));
  const placer = createPlacer(
    database,
    outlook,
    openTraces(monotonic, (text) => createHash('sha256').update(text).digest('base64url')),
  );
  const found = new Map(Object.keys(GUARDS).map((name) => [name, new Array<number>()]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, guardFor] of Object.entries(GUARDS)) {
      await database.$executeRaw`TRUNCATE ask, idempotency CASCADE`;
      const perSecond = await rate(AMOUNT, (client) =>
        placer.place({
          ...placementOf(
            [propose({ destination: 'd', cores: 1 }, outlook.now())],
            `user:${client}`,
          ),
          guard: guardFor(client),
        }),
      );
      if (round > 0) found.get(name)?.push(perSecond);
    }
  }
  const [plain = 0] = [...found.values()].map(median);
  for (const [name, rates] of found)
    console.log(
      `answers written, ${name}: ${Math.round(median(rates))}/s, ` +
        `${(median(rates) / plain).toFixed(2)} of those without`,
    );
}

/** Runs `work` this many times by 32 clients. @returns times a second */
async function rate(amount: number, work: (client: number) => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; n < amount / CLIENTS; n += 1) await work(client);
    }),
  );
  return amount / ((performance.now() - begun) / 1000);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

async function measureRates(database: Database): Promise<void> {
  const rates = openRates(() => performance.now());
  const limits = {
    holds: undefined,
    jobs: undefined,
    cores: undefined,
    memory: undefined,
    gpuSeconds: undefined,
    window: Object(0),
    asksPerMinute: 1e9,
    share: undefined,
    results: undefined,
    storedBytes: undefined,
  };
  const here = await rate(320_000, async (client) =>
    rates.take([
      {
        scope: `user:${client}`,
        quota: { for: 'user', name: undefined, identities: undefined, limits },
      },
    ]),
  );
  await database.$executeRaw`CREATE UNLOGGED TABLE IF NOT EXISTS bucket (scope text PRIMARY KEY, asks int)`;
  const there = await rate(
    AMOUNT,
    (client) => database.$executeRaw`
    INSERT INTO bucket VALUES (${`user:${client}`}, 1) ON CONFLICT (scope) DO UPDATE SET asks = bucket.asks + 1`,
  );
  console.log(
    `asks counted: in the process ${Math.round(here)}/s, in an unlogged table ${Math.round(there)}/s`,
  );
}

async function measureTokens(): Promise<void> {
  for (const algorithm of ['RS256', 'ES256', 'EdDSA'] as const) {
    const issuer = await openIssuer(algorithm);
    const doors = await openFor({ oidc: [{ issuer: issuer.url, audience: 'planner' }] });
    const tokens = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => issuer.token({ sub: `u${n}` })),
    );
    const pass = async (): Promise<number> => {
      const begun = performance.now();
      for (const token of tokens) await doors.identify(`Bearer ${token}`, '192.0.2.1');
      return (performance.now() - begun) / tokens.length;
    };
    const [first, again] = [await pass(), await pass()];
    console.log(
      `${algorithm} token: ${first.toFixed(3)} ms the first time, ${again.toFixed(4)} ms again`,
    );
    await issuer.stop();
  }
  const local = await openDoorkeeper(
    { anonymous: true, tokens: [], oidc: [], passwords: undefined, administrators: [] },
    Date.now,
  );
  const begun = performance.now();
  for (let n = 0; n < 100_000; n += 1) await local.identify(undefined, '192.0.2.1');
  console.log(`anonymous: ${((performance.now() - begun) / 100_000).toFixed(5)} ms`);
}
