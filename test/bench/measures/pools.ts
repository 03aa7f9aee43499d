import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { ensureDatabase, migrate } from '../../../src/db/migrate.ts';
import { openSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { JobDescription } from '../../../src/vortex/index.ts';
import { openClient, offersOf } from '../../harness/client.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

/*
 * node test/bench/measures/pools.ts: the cost of resource pools: a decision in the service's
 * sandbox, and a whole ask over HTTP with its transaction, each with and without pools in
 * alternating rounds.
 */

const ROUNDS = 7;
const IN_FLIGHT = 8;
const POOLS = {
  everything: { max_concurrent_cores: 1e9, max_concurrent_mem: 1e9 },
  heavy: { max_concurrent_cores: 32, scheduling: { require: ['heavy'] } },
};
const [WITH, WITHOUT] = [rulesWith({ pools: POOLS }), rulesWith({})];

const JOB: JobDescription = {
  tool: {
    id: 'executable/sort',
    requirements: [
      { type: 'cores_min', value: 2 },
      { type: 'ram_min', value: 4 },
    ],
  },
  user: { email: 'ada@example.org' },
  roles: [],
  inputs: [],
};

const USERS = Array.from({ length: 32 }, (_, n) => `user${n}`);
const ASK =
  '{task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: ' +
  '[sort]}}, resources: {compute: [{min-cores: 2, max-cores: 2, min-memory: 4Gb}]}}';

await decisions();
const folder = await mkdtemp(join(tmpdir(), 'planner-bench-'));
await chmod(folder, 0o711);
const cluster = await startEmbedded({ directory: folder });
try {
  await ensureDatabase(cluster.url('postgres'), 'template_planner');
  await migrate(cluster.url('template_planner'));
  process.env['TEST_DATABASE_SERVER'] = cluster.url('postgres');
  await asks();
} finally {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
}

function rulesWith(more: object): object {
  return {
    global: { default_inherits: 'default', resource_pool_store: { class: 'execution-planner' } },
    tools: {
      default: { abstract: true, cores: 2, mem: 'cores * 4', scheduling: { accept: ['general'] } },
      'executable/.*': { rules: [{ if: 'input_size > 5', cores: 4 }] },
    },
    destinations: Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [
        `d${n}`,
        { runner: 'process', max_accepted_cores: 64 + n, scheduling: { accept: ['general'] } },
      ]),
    ),
    ...more,
  };
}

async function decisions(): Promise<void> {
  const [plain, pooled] = [await openLoaded(WITHOUT), await openLoaded(WITH)];
  const decide = (sandbox: Sandbox) => () =>
    rate(6000, IN_FLIGHT, async () => {
      const { kind } = await sandbox.weigh(JOB, { seed: 1, now: 0, most: 4 });
      if (kind !== 'considered') throw new Error(kind);
    });
  await compare('decisions', decide(plain), decide(pooled));
  await Promise.all([plain.close(), pooled.close()]);
}

async function openLoaded(rules: object): Promise<Sandbox> {
  const sandbox = openSandbox({ jit: 'never' });
  const report = await sandbox.load([{ name: 'rules.yml', text: JSON.stringify(rules) }]);
  if (report.kind !== 'loaded') throw new Error(JSON.stringify(report));
  return sandbox;
}

/** @returns times a second */
async function rate(
  amount: number,
  inFlight: number,
  work: (client: number) => Promise<void>,
): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async (_, client) => {
      for (let n = 0; n < amount / inFlight; n += 1) await work(client);
    }),
  );
  return amount / ((performance.now() - begun) / 1000);
}

/** Measures both in turn; the first round is a warm-up. */
async function compare(
  what: string,
  plain: () => Promise<number>,
  pooled: () => Promise<number>,
): Promise<void> {
  const [one, other]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const pair =
      round % 2 === 0 ? [await plain(), await pooled()] : [await pooled(), await plain()].reverse();
    if (round > 0) [one, other].forEach((list, n) => list.push(pair[n] ?? 0));
  }
  const ratios = one.map((value, n) => value / (other[n] ?? value)).toSorted((a, b) => a - b);
  const told = [ratios[0] ?? 0, median(ratios), ratios.at(-1) ?? 0].map((value) =>
    value.toFixed(2),
  );
  console.log(
    `${what}: without pools ${Math.round(median(one))}/s, with ` +
      `${Math.round(median(other))}/s; with them it takes ${told[1]} times as ` +
      `long (${told[0]}–${told[2]})`,
  );
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

async function asks(): Promise<void> {
  const tokens = await Promise.all(
    USERS.map(async (user) => ({ sha256: await sha256(user), user: `${user}@example.org` })),
  );
  const site = {
    rules: ['rules.yml'],
    quotas: [],
    identity: { tokens },
    destinations: Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [
        `d${n}`,
        {
          runner: 'process',
          'task-types': ['executable'],
          cores: 1_000_000,
          memory: '2000TiB',
          scratch: '20000TiB',
        },
      ]),
    ),
  };
  const [plain, pooled] = [
    await startTestService(site, WITHOUT),
    await startTestService(site, WITH),
  ];
  const ask = ({ url, db }: TestService) => {
    const send = openClient(url);
    return async (): Promise<number> => {
      await db.database.$executeRaw`TRUNCATE ask CASCADE`;
      return rate(1600, USERS.length, async (client) => {
        if (offersOf(await send('/request', { token: USERS[client], body: ASK })).length === 0)
          throw new Error('NO');
      });
    };
  };
  await compare('asks over HTTP, 32 users', ask(plain), ask(pooled));
  await Promise.all([plain.close(), pooled.close()]);
}

async function sha256(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');
}
