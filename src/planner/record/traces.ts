import type { RulesInForce } from '../../sandbox/sandbox.ts';

/**
 * The steps of a decision: `steps` is JSON, undefined when the
 * database has it under the key already.
 */
export type KeptTrace = { readonly key: string; readonly steps: string | undefined };

/**
 * Which traces this planner has written lately. Most asks are decided by
 * steps that were written before.
 */
export type Traces = {
  /** The trace of some steps. */
  readonly of: (steps: unknown) => KeptTrace;
  /**
   * What the steps of all decisions of some rules are made complete with:
   * what their destinations take.
   */
  readonly ofRules: (rules: RulesInForce) => KeptTrace;
  /** To be called when a transaction that wrote them is committed. */
  readonly written: (traces: Iterable<KeptTrace>) => void;
};

/** The database is told again so often that a trace is in use; `purge_traces` waits a day. */
const REMEMBERED_MS = 3_600_000;
const MOST_REMEMBERED = 10_000;

/**
 * @param clock monotonic, milliseconds
 * @param digest of a text, which stands for it
 */
export function openTraces(clock: () => number, digest: (text: string) => string): Traces {
  const known = new Map<string, number>();
  const isKnown = (key: string): boolean => clock() - (known.get(key) ?? -Infinity) < REMEMBERED_MS;
  return {
    of: (steps) => {
      const text = JSON.stringify(steps);
      const key = digest(text);
      return { key, steps: isKnown(key) ? undefined : text };
    },
    ofRules: ({ digest: rules, admissions }) => {
      const key = rulesKey(rules);
      return { key, steps: isKnown(key) ? undefined : JSON.stringify(admissions.list) };
    },
    written: (traces) => {
      if (known.size > MOST_REMEMBERED) known.clear();
      for (const { key, steps } of traces) if (steps !== undefined) known.set(key, clock());
    },
  };
}

/** As `purge_traces` and kept.ts know it. */
function rulesKey(digest: string): string {
  return `rules ${digest}`;
}
