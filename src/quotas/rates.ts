import type { Applying } from './scopes.ts';

type Bucket = { readonly left: number; readonly at: number };

/** Limits the asks a minute, in this process. */
export type Rates = {
  /**
   * takes one ask from every quota with a rate
   * @returns seconds to wait when a quota is used up; then nothing is taken
   */
  readonly take: (applying: readonly Applying[]) => number | undefined;
  /** gives back what `take` took, for a request that cost little after all */
  readonly give: (applying: readonly Applying[]) => void;
  /** asks of the present minute that a quota with a rate counts; undefined without a rate */
  readonly used: (applying: Applying) => number | undefined;
};

/**
 * No site has more scopes that ask within a minute. Above it, the least recent scope is forgotten
 * and starts anew.
 */
const MOST_SCOPES = 100_000;
const MINUTE_MS = 60_000;

/**
 * Token buckets: the asks of a minute may come at once, and then flow back. Each process counts by
 * itself, so that several planners together allow a multiple of the rate: a count in the database
 * would cost each ask a round trip and a commit (docs/guides/quotas.md), and the rate protects this
 * process.
 *
 * @param clock milliseconds, of any origin
 */
export function openRates(clock: () => number): Rates {
  const buckets = new Map<string, Bucket>();
  const leftOf = (scope: string, perMinute: number, now: number): number => {
    const bucket = buckets.get(scope);
    return bucket === undefined
      ? perMinute
      : Math.min(perMinute, bucket.left + ((now - bucket.at) / MINUTE_MS) * perMinute);
  };
  return {
    take: (applying) => {
      const now = clock();
      const rates = applying.flatMap(
        ({
          scope,
          quota: {
            limits: { asksPerMinute },
          },
        }) =>
          asksPerMinute === undefined
            ? []
            : [{ scope, perMinute: asksPerMinute, left: leftOf(scope, asksPerMinute, now) }],
      );
      const waits = rates
        .filter(({ left }) => left < 1)
        .map(({ left, perMinute }) => Math.ceil(((1 - left) / perMinute) * 60));
      if (waits.length > 0) return Math.max(...waits);
      for (const { scope, left } of rates) {
        buckets.delete(scope);
        buckets.set(scope, { left: left - 1, at: now });
      }
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_SCOPES && oldest !== undefined) buckets.delete(oldest);
      return undefined;
    },
    give: (applying) => {
      const now = clock();
      for (const { scope, quota } of applying) {
        const { asksPerMinute } = quota.limits;
        if (asksPerMinute === undefined || !buckets.has(scope)) continue;
        const left = Math.min(asksPerMinute, leftOf(scope, asksPerMinute, now) + 1);
        buckets.set(scope, { left, at: now });
      }
    },
    used: ({
      scope,
      quota: {
        limits: { asksPerMinute },
      },
    }) => asksPerMinute && Math.ceil(asksPerMinute - leftOf(scope, asksPerMinute, clock())),
  };
}
