import { dump } from 'js-yaml';
import { countAsks, emptyBook } from './book.ts';
import { postmasterOf, timesOf } from './costs.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import { NEEDED } from '../python.ts';
import type { Fact } from '../sample.ts';

/** Of few asks each: what else the machine does changes within seconds. */
const ROUNDS = 15;
const CONNECTIONS = 8;
const GOAL = 'goal: at most 0.3';

const LINES = Array.from({ length: 97 }, (_, at) => `x${at} = [n * ${at} for n in range(9)]`);

/**
 * Processor time of planner and sandbox for a program with imports and requirements, beside that of
 * the same program without. No two programs are the same, so that nothing of them is remembered.
 */
export async function measureAskedNeeds(
  planner: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): Promise<readonly Fact[]> {
  const postmaster = await postmasterOf(planner);
  const timeOf = async (body: string): Promise<number> => {
    await emptyBook(planner.client);
    const before = await timesOf(planner, postmaster);
    await load.send({
      url: `${planner.server.url}/request`,
      method: 'POST',
      body,
      isEachDifferent: true,
      amount,
      connections: CONNECTIONS,
    });
    const after = await timesOf(planner, postmaster);
    const yes = await countAsks(planner.client, 'YES');
    if (yes !== amount) throw new Error(`${yes} of ${amount} programs were answered YES`);
    const spent = (part: 'planner' | 'sandbox child'): number => after[part] - before[part];
    return (spent('planner') + spent('sandbox child')) / amount;
  };
  const [without, more, ratio]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [plain, needing] = [await timeOf(askFor([])), await timeOf(askFor(NEEDED))];
    if (round === 0) continue;
    without.push(plain);
    more.push(needing - plain);
    ratio.push(needing / plain);
  }
  await emptyBook(planner.client);
  const ask = `an ask with a program, ${planner.destinations} destinations`;
  return [
    { name: `processor time of ${ask}`, unit: 'ms', values: without },
    { name: `imports and requirements add to ${ask} (${GOAL})`, unit: 'ms', values: more },
    { name: `the same, of the ask without`, unit: 'times', values: ratio },
  ];
}

function askFor(packages: readonly string[]): string {
  const imports = packages.map((name) => `import ${name}`);
  return dump({
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/python-program',
      spec: {
        // The load generator puts something else there in each.
        source: ['# [<id>]', ...imports, ...LINES].join('\n'),
        ...(packages.length > 0 && {
          requirements: packages.map((name) => `${name}>=1.0; platform_version != "[<id>]"`),
        }),
      },
    },
    resources: { compute: [{ 'min-cores': 2, 'min-memory': '4Gb' }] },
  });
}
