import { parseArgs } from 'node:util';
import { emptyBook } from '../measures/book.ts';
import { startPlanner } from '../planners.ts';
import { memoryOf } from '../processes/process-tree.ts';
import { median } from '../sample.ts';
import { YES_ASK } from '../site.ts';
import { print, withBench } from './bench.ts';

/*
 * node --no-warnings test/bench/sizing/memory.ts [--few 10000] [--many 1000000]
 *
 * Memory of the planner after many asks, of that after few; no two asks are alike. It is the median
 * of ten readings between portions of a thousand, since it rises and falls with the collections.
 */

const { values } = parseArgs({
  options: {
    few: { type: 'string', default: '10000' },
    many: { type: 'string', default: '1000000' },
  },
});
const [few, many] = [Number(values.few), Number(values.many)];
const PORTION = 1000;
const READINGS = 10;
/** So that the disc does not fill. */
const EMPTIED_AFTER = 50_000;
const BODY = YES_ASK.replace('field-0042.fits', 'field-[<id>].fits');

await withBench(async ({ cluster, folder, openLoad, onEnd }) => {
  const load = openLoad();
  const planner = await startPlanner(cluster, folder, 10, []);
  onEnd(planner.stop);
  const read: number[] = [];
  const found = new Map<number, number>();
  for (let sent = PORTION; sent <= many; sent += PORTION) {
    await load.send({
      url: `${planner.server.url}/request`,
      method: 'POST',
      body: BODY,
      isEachDifferent: true,
      amount: PORTION,
      connections: 32,
    });
    read.push((await memoryOf(planner.server.pid)) ?? Number.NaN);
    if (sent % EMPTIED_AFTER === 0) await emptyBook(planner.client);
    if (sent !== few && sent !== many) continue;
    found.set(sent, median(read.slice(-READINGS)));
    console.log(`${sent.toLocaleString('en')} asks: ${found.get(sent)?.toFixed(0)} MiB`);
  }
  const ratio = (found.get(many) ?? Number.NaN) / (found.get(few) ?? Number.NaN);
  print([{ name: 'memory of the planner', unit: 'times', values: [ratio] }]);
});
