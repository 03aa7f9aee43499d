import { Counter, Gauge, type Registry } from 'prom-client';

/** What a scrape tells of the rules. */
export type RulesFigures = {
  readonly digest: string;
  /** since when they are in force, milliseconds since 1970 */
  readonly since: number;
  /** false while the files cannot be used and the last good rules are in force */
  readonly isCurrent: boolean;
  /** reloads since the start, by result */
  readonly reloads: { readonly loaded: number; readonly refused: number };
};

/** Registers the figures of the rules, read at every scrape. */
export function registerRules(registry: Registry, look: () => RulesFigures): void {
  registry.registerMetric(
    new Counter({
      name: 'planner_rules_reloads_total',
      help: 'Reloads of changed rules since the start, by result',
      labelNames: ['result'],
      registers: [],
      collect() {
        const { loaded, refused } = look().reloads;
        this.reset();
        this.inc({ result: 'loaded' }, loaded);
        this.inc({ result: 'refused' }, refused);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'planner_rules_last_reload_successful',
      help: '0 while changed rules cannot be used and the last good ones are in force',
      registers: [],
      collect() {
        this.set(look().isCurrent ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'planner_rules_loaded_timestamp_seconds',
      help: 'When the rules in force were loaded',
      registers: [],
      collect() {
        this.set(look().since / 1000);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'planner_rules_info',
      help: 'The digest of the rules in force; always 1',
      labelNames: ['digest'],
      registers: [],
      collect() {
        this.reset();
        this.set({ digest: look().digest }, 1);
      },
    }),
  );
}
