import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { offersOf, openClient, reasonsOf } from '../harness/client.ts';
import { emptyBook, openFleet, type Fleet } from '../harness/fleet.ts';
import { tokenOf } from '../harness/site.ts';

const USERS = ['ada', 'bob'] as const;
const [MOST_CORES, MOST_MEMORY] = [8, 12];
const SITE = {
  rules: ['rules.yml'],
  quotas: [],
  offers: { lifetime: 'PT10M', duration: 'PT1H', release: 'PT1S', 'max-offers': 2 },
  identity: { tokens: USERS.map((name) => tokenOf(name)) },
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 1000,
      memory: '2000GiB',
      scratch: '40TiB',
    },
  },
};
const RULES = {
  global: { resource_pool_store: { class: 'execution-planner' } },
  destinations: { a: { runner: 'process' } },
  pools: {
    cores: { max_concurrent_cores: MOST_CORES },
    memory: {
      max_concurrent_mem: MOST_MEMORY,
      oversize: { max_concurrent: 1, hard_max_mem: 20, reserve_pool: true },
    },
  },
};

/**
 * Acts: a client asks at one of the planners, returns an answer, accepts it, or destroys the job.
 */
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('ask' as const),
        at: fc.nat(1),
        who: fc.constantFrom(...USERS),
        cores: fc.integer({ min: 1, max: 5 }),
        memory: fc.integer({ min: 1, max: 16 }),
      }),
    },
    fc.record({
      what: fc.constantFrom('reject' as const, 'accept' as const),
      at: fc.nat(1),
      which: fc.nat(20),
    }),
  ),
  { minLength: 6, maxLength: 16 },
);

const HELD = `
  SELECT owner, coalesce(sum(cores) FILTER (WHERE pool = 'cores'), 0) AS cores,
    coalesce(sum(mem_gb) FILTER (WHERE pool = 'memory' AND NOT oversize), 0) AS memory,
    count(*) FILTER (WHERE oversize)::int AS oversize
  FROM pool_holders(NULL, NULL) GROUP BY owner`;
type Held = {
  readonly owner: string;
  readonly cores: number;
  readonly memory: number;
  readonly oversize: number;
};

describe('resource pools of users who ask two planners at once', () => {
  let fleet: Fleet;
  const sends: ReturnType<typeof openClient>[] = [];
  beforeAll(async () => {
    fleet = await openFleet(SITE, RULES);
    for (let n = 0; n < 2; n += 1) sends.push(openClient((await fleet.add()).url));
  });
  afterAll(() => fleet.close());

  test('are never overfull, and a NO says so', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 6 }), async (clients) => {
        await emptyBook((statement) => fleet.db.database.$executeRawUnsafe(statement));
        const given: { readonly href: string; readonly who: string }[] = [];
        const one = async (step: (typeof clients)[number][number]): Promise<void> => {
          const send = sends[step.at] ?? openClient('');
          if (step.what !== 'ask') {
            const offer = given[step.which % Math.max(1, given.length)];
            if (offer !== undefined)
              await send(offer.href, {
                token: offer.who,
                body: `status: ${step.what.toUpperCase()}ED`,
              });
            return;
          }
          const { who, cores, memory } = step;
          const reply = await send('/request', { token: who, body: askFor(cores, memory) });
          expect(reply.status).toBe(200);
          for (const { href } of offersOf(reply)) given.push({ href: new URL(href).pathname, who });
          const codes = reasonsOf(reply).map(({ code }) => code);
          const known = new Set(offersOf(reply).length === 0 ? ['pool-full'] : codes);
          expect(codes.filter((code) => !known.has(code))).toEqual([]);
          refused += codes.length > 0 ? 1 : 0;
          const held = await fleet.db.database.$queryRawUnsafe<Held[]>(HELD);
          for (const { owner, ...of } of held) {
            expect({
              owner,
              ...of,
              isWithin:
                of.cores <= MOST_CORES &&
                of.memory <= MOST_MEMORY &&
                of.oversize <= 1 &&
                (of.oversize === 0 || of.memory === 0),
            }).toEqual({ owner, ...of, isWithin: true });
          }
        };
        await Promise.all(
          clients.map(async (own) => {
            for (const step of own) await one(step);
          }),
        );
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(0);
  });
});

function askFor(cores: number, memory: number): string {
  return `
task:
  type: "https://www.purl.org/ivoa-net/task-type/executable"
  spec: { command: ["true"] }
resources:
  compute:
  - min-cores: ${cores}
    max-cores: ${cores}
    min-memory: ${memory}Gb
    max-memory: ${memory}Gb`;
}
