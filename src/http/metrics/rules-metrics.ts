import { Counter, type Registry } from 'prom-client';
import type { RulesKeeper } from '../../rules/keeper.ts';
import { gaugesOf } from './gauges.ts';

/** The figures of the rules for a scrape. */
export type RulesFigures = {
  readonly digest: string;
  /** begin of their use, milliseconds since 1970 */
  readonly since: number;
  /** false while the files are faulty and the last good rules are in force */
  readonly isCurrent: boolean;
  /** reloads since the start, by result */
  readonly reloads: { readonly loaded: number; readonly refused: number };
};

/** The figures of the rules in force. */
export function figuresOf({ state, counts }: RulesKeeper): RulesFigures {
  const {
    kind,
    inForce: {
      rules: { digest },
      since,
    },
  } = state();
  return { digest, since, isCurrent: kind !== 'kept', reloads: counts() };
}

/** Registers the figures of the rules, which every scrape reads. */
export function registerRules(registry: Registry, look: () => RulesFigures): void {
  const gauge = gaugesOf(registry);
  void new Counter({
    name: 'planner_rules_reloads_total',
    help: 'Reloads of changed rules since the start, by result',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      const { loaded, refused } = look().reloads;
      this.reset();
      this.inc({ result: 'loaded' }, loaded);
      this.inc({ result: 'refused' }, refused);
    },
  });
  gauge(
    'planner_rules_last_reload_successful',
    '0 while changed rules are faulty and the last good ones are in force',
    [],
    (one) => one.set(look().isCurrent ? 1 : 0),
  );
  gauge(
    'planner_rules_loaded_timestamp_seconds',
    'When the rules in force were loaded',
    [],
    (one) => one.set(look().since / 1000),
  );
  gauge('planner_rules_info', 'The digest of the rules in force; always 1', ['digest'], (one) => {
    one.reset();
    one.set({ digest: look().digest }, 1);
  });
}
