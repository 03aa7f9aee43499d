import type { RulesInForce } from '../../sandbox/sandbox.ts';

/** The steps of a decision as JSON; undefined: the database has them under the key. */
export type KeptTrace = { readonly key: string; readonly steps: string | undefined };

/** Remembers which traces this planner wrote lately: most decisions repeat earlier steps. */
export type Traces = {
  /** The trace of some steps. */
  readonly of: (steps: unknown) => KeptTrace;
  /** What completes the steps of every decision of some rules: what their destinations accept. */
  readonly ofRules: (rules: RulesInForce) => KeptTrace;
  /** Must be called when the transaction that wrote them is committed. */
  readonly written: (traces: Iterable<KeptTrace>) => void;
};

/** How often the database hears that a trace is in use; `purge_traces` waits a day. */
const REMEMBERED_MS = 3_600_000;
const MOST_REMEMBERED = 10_000;

/**
 * @param clock monotonic, milliseconds
 * @param digest makes the key of some steps
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

/** The key that `purge_traces` and kept-ask.ts know. */
function rulesKey(digest: string): string {
  return `rules ${digest}`;
}
