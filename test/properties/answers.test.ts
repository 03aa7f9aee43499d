import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { REFUSALS } from '../../src/words/catalogue.ts';
import { openClient } from '../harness/client.ts';
import { runs } from '../harness/runs.ts';
import { startTestService } from '../harness/service.ts';
import {
  askOf,
  faultsOf,
  faultsOfMachines,
  itemsOf,
  KEPT,
  machinesOf,
  unkept,
  wishes,
  type Item,
  type Kept,
  type Wish,
} from './wishes.ts';
import { LIVE, oversold, smallWorld, worlds } from './worlds.ts';

/** Sites by chance. */
const RUNS = runs(4);

const SMALL: Item = {
  replicas: 1,
  cores: 1,
  moreCores: 0,
  memory: 1,
  moreMemory: 0,
  gpus: 0,
  volume: 0,
};
/** Asks with each answer in a small world: a YES, and NOs for one machine and for several. */
const EACH: Wish[] = [{}, { cores: 8 }, { replicas: 2, cores: 3 }].map((more) => ({
  items: [{ ...SMALL, ...more }],
  when: { kind: 'now' },
  duration: undefined,
  tool: 'sort',
}));

/** Reasons for a valid ask: others have the room, or it is too large or not allowed. */
const OF_PLACE_OR_TIME: ReadonlySet<keyof typeof REFUSALS> = new Set([
  'above-max-accepted',
  'below-min-accepted',
  'above-capacity',
  'no-capacity-now',
  'no-capacity-in-window',
  'no-storage-space',
  'no-results-space',
  'maintenance',
  'lead-time-too-short',
  'size-not-offered',
  'storage-not-here',
  'rule-failed',
  'below-requested-minimum',
  'above-requested-maximum',
  'gpu-type-not-here',
  'quota-exceeded',
]);

describe('whatever the site, its rules and the asks are', () => {
  test('answers keep to asks, the book to capacity, and nearest and printed offers are a YES', async () => {
    const seen = { YES: 0, NO: 0, nearest: 0, nearestOfSeveral: 0, again: 0 };
    await fc.assert(
      fc.asyncProperty(
        worlds(60, Date.now()),
        fc.array(wishes, { minLength: 5, maxLength: 25 }),
        async (world, list) => {
          const service = await startTestService(world.site, world.rules);
          try {
            const send = openClient(service.url);
            const expectKept = async (items: readonly Item[], response: object): Promise<void> =>
              expect(
                unkept(
                  items,
                  response,
                  await service.db.database.$queryRawUnsafe<Kept[]>(KEPT, Object(response).ident),
                ),
              ).toEqual([]);
            for (const wish of list) {
              const asked = Date.now();
              const reply = await send('/request', { body: askOf(wish, asked) });
              expect(reply.status).toBe(200);
              const { response } = Object(reply.document);
              expect(faultsOf(world, wish, response, asked, Date.now())).toEqual([]);
              await expectKept(wish.items, response);
              for (const offer of [response.offers ?? []].flat()) {
                const again = Object(
                  (await send('/request?dry-run=true', { body: JSON.stringify(offer.request) }))
                    .document['response'],
                );
                expect(
                  [again.reasons ?? []]
                    .flat()
                    .filter(
                      ({ code }: { readonly code: keyof typeof REFUSALS }) =>
                        !OF_PLACE_OR_TIME.has(code),
                    ),
                ).toEqual([]);
                seen.again += 1;
              }
              seen[response.result === 'YES' ? 'YES' : 'NO'] += 1;
              if (response.nearest === undefined) continue;
              seen.nearest += 1;
              const taken = await send('/request', { body: JSON.stringify(response.nearest.ask) });
              const { result, reasons, offers } = Object(taken.document['response']);
              expect({
                result,
                ...(result === 'YES' ? {} : { reasons, response, at: new Date(asked) }),
              }).toEqual({ result: 'YES' });
              const items = itemsOf(response.nearest.ask);
              if (machinesOf(wish.items) > 1) seen.nearestOfSeveral += 1;
              expect(
                [offers].flat().flatMap((offer) => faultsOfMachines(world, items, offer)),
              ).toEqual([]);
              await expectKept(items, Object(taken.document['response']));
            }
            const rows =
              await service.db.database.$queryRawUnsafe<Parameters<typeof oversold>[0]>(LIVE);
            expect(oversold(rows, world.capacities)).toEqual([]);
          } finally {
            await service.close();
          }
        },
      ),
      { examples: [[smallWorld(60, Date.now()), EACH]], numRuns: RUNS + 1, endOnFailure: true },
    );
    // Each case must occur, or the property would prove nothing. It does in the example.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });
});
