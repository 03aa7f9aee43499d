import { parseArgs } from 'node:util';
import { measureStored } from '../measures/backlog.ts';
import { startPlanner, type BenchPlanner } from '../planners.ts';
import { print, withBench } from './bench.ts';

/*
 * node --no-warnings test/bench/sizing/stored.ts [--many 10000000] [--amount 2000]
 *
 * Asks and accepts beside this many past asks and offers, and beside ten thousand, in turns; ten
 * million take 12 GB of disc and a quarter of an hour to write.
 */

const { values } = parseArgs({
  options: {
    many: { type: 'string', default: '10000000' },
    amount: { type: 'string', default: '2000' },
  },
});

await withBench(async ({ cluster, folder, openLoad, onEnd }) => {
  const load = openLoad();
  const start = async (name: string): Promise<BenchPlanner> => {
    const planner = await startPlanner(cluster, folder, 10, [], name);
    onEnd(planner.stop);
    return planner;
  };
  const [few, many] = [await start('few'), await start('many')];
  print(await measureStored(few, many, load, Number(values.amount), Number(values.many)));
});
