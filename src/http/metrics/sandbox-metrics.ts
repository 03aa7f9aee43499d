import { Gauge, type Registry } from 'prom-client';
import type { FetchStats } from '../../sandbox/fetcher.ts';
import type { SandboxStats } from '../../sandbox/sandbox.ts';

/** How each count of the sandbox is labelled. */
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

/**
 * Registers the figures of the sandbox and of the requests that rules make, read at every scrape.
 */
export function registerSandbox(
  registry: Registry,
  sandbox: () => SandboxStats,
  requests?: () => FetchStats,
): void {
  registry.registerMetric(
    new Gauge({
      name: 'planner_sandbox',
      help: 'Decisions, failures and restarts of the rules sandbox',
      labelNames: ['what'],
      registers: [],
      collect() {
        const stats = sandbox();
        for (const [what, count] of WHAT) this.set({ what }, stats[count]);
        this.set({ what: 'spare' }, Number(stats.hasSpare));
      },
    }),
  );
  if (requests === undefined) return;
  registry.registerMetric(
    new Gauge({
      name: 'planner_rule_requests',
      help: 'Requests of rules to web servers, by result',
      labelNames: ['result'],
      registers: [],
      collect() {
        const stats = requests();
        for (const result of RESULTS) this.set({ result }, stats[result]);
      },
    }),
  );
}
