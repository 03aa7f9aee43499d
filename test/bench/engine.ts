import { openSandbox, type Jit, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { loadRules, weigh, type JobDescription } from '../../src/vortex/index.ts';
import type { BenchPlanner } from './planners.ts';
import { measureLoop, type Series } from './sample.ts';

/** The ask of the bench as a job of the engine. */
const JOB: JobDescription = {
  tool: {
    id: 'executable/source-extractor',
    requirements: [
      { type: 'cores_min', value: 2 },
      { type: 'cores_max', value: 4 },
      { type: 'mem_min', value: 4 },
      { type: 'mem_max', value: 16 },
    ],
  },
  user: null,
  roles: [],
  inputs: [],
};
/** No two are alike, so that the planner remembers none. */
let jobs = 0;

const surroundings = { random: () => 0, now: () => 0 };

/** The engine of some sites with its sandboxes. */
export type Engine = { readonly series: readonly Series[]; readonly close: () => Promise<void> };

/**
 * Decisions without HTTP and database: in the default sandbox, in one without a JIT, and in this
 * process.
 */
export async function openEngine(
  planners: readonly BenchPlanner[],
  amount: number,
): Promise<Engine> {
  const sandboxes: Sandbox[] = [];
  const series: Series[] = [];
  for (const {
    destinations,
    site: { rules },
  } of planners) {
    for (const jit of ['enclosed', 'never'] as const) {
      const sandbox = await openLoaded(rules, jit);
      sandboxes.push(sandbox);
      const name = jit === 'never' ? 'Engine: sandbox without JIT' : 'Engine: sandbox';
      for (const inFlight of [1, 8]) {
        series.push({
          name: `${name}, ${destinations} destinations, ${inFlight} in flight`,
          measure: () => measureLoop(Array(amount).fill(0), inFlight, () => decide(sandbox)),
        });
      }
    }
    const loaded = loadRules([{ name: 'rules.yml', text: rules }]);
    if (!loaded.ok) throw new Error('the rules of the bench do not load');
    series.push({
      name: `Engine: in process, JIT, no JSON, ${destinations} destinations`,
      measure: () =>
        measureLoop(Array(amount).fill(0), 1, async () =>
          weigh(loaded.rules, JOB, surroundings, 4),
        ),
    });
  }
  return {
    series,
    close: async () => void (await Promise.all(sandboxes.map((sandbox) => sandbox.close()))),
  };
}

async function openLoaded(rules: string, jit: Jit): Promise<Sandbox> {
  const sandbox = openSandbox({ jit });
  const report = await sandbox.load([{ name: 'rules.yml', text: rules }]);
  if (report.kind !== 'loaded')
    throw new Error(`the rules of the bench do not load: ${JSON.stringify(report)}`);
  return sandbox;
}

async function decide(sandbox: Sandbox): Promise<void> {
  jobs += 1;
  const job = { ...JOB, tool: { ...JOB.tool, id: `${JOB.tool.id}-${jobs}` } };
  const { kind } = await sandbox.weigh(job, { seed: 1, now: 0, most: 4 });
  if (kind !== 'considered') throw new Error(`the sandbox answered ${kind}`);
}
