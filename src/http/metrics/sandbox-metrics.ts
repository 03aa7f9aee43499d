import type { Registry } from 'prom-client';
import type { FetchStats } from '../../sandbox/fetcher.ts';
import type { SandboxStats } from '../../sandbox/sandbox.ts';
import { gaugesOf } from './gauges.ts';

/** The label of each count of the sandbox. */
const WHAT = [
  ['decisions', 'decisions'],
  ['failures', 'failures'],
  ['respawns', 'respawns'],
  ['timeouts', 'timeouts'],
  ['out-of-steps', 'outOfSteps'],
  ['out-of-memory', 'outOfMemory'],
  ['crashes', 'crashes'],
] as const;

const RESULTS = ['answered', 'failed', 'cached'] as const;

/** Registers the figures of the sandbox and of the rules' requests, which every scrape reads. */
export function registerSandbox(
  registry: Registry,
  sandbox: () => SandboxStats,
  requests?: () => FetchStats,
): void {
  const gauge = gaugesOf(registry);
  gauge(
    'planner_sandbox',
    'Decisions, failures and restarts of the rules sandbox',
    ['what'],
    (one) => {
      const stats = sandbox();
      for (const [what, count] of WHAT) one.set({ what }, stats[count]);
      one.set({ what: 'spare' }, Number(stats.hasSpare));
      one.set({ what: 'enclosed' }, Number(stats.isEnclosed));
      one.set({ what: 'jit' }, Number(stats.hasJit));
    },
  );
  if (requests === undefined) return;
  gauge(
    'planner_rule_requests',
    'Requests of rules to web servers, by result',
    ['result'],
    (one) => {
      const stats = requests();
      for (const result of RESULTS) one.set({ result }, stats[result]);
    },
  );
}
