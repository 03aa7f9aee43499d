import { openBuckets, type Takings } from '../peers/buckets.ts';
import type { Applying } from './scopes.ts';

/** Limits the asks a minute, in this service. */
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
 * Each service counts by itself, so that several services together allow a multiple of the rate: a
 * count in the database would cost each ask a round trip and a commit (docs/guides/quotas.md), and
 * the rate protects this service.
 *
 * @param clock milliseconds, of any origin @param others the other planners of this service
 */
export function openRates(clock: () => number, others?: Takings): Rates {
  const buckets = openBuckets(clock, others);
  return {
    take: (applying) => {
      const rates = withRate(applying);
      const waits = rates.flatMap(([scope, aMinute]) => buckets.wait(scope, aMinute) ?? []);
      if (waits.length > 0) return Math.max(...waits);
      for (const [scope, aMinute] of rates) buckets.take(scope, aMinute);
      return undefined;
    },
    give: (applying) => {
      for (const [scope, aMinute] of withRate(applying)) buckets.give(scope, aMinute);
    },
    used: (applying) =>
      withRate([applying])
        .map(([scope, aMinute]) => Math.ceil(aMinute - buckets.left(scope, aMinute)))
        .at(0),
  };
}

function withRate(applying: readonly Applying[]): readonly (readonly [string, number])[] {
  return applying.flatMap(({ scope, quota: { limits } }) =>
    limits.asksPerMinute === undefined ? [] : [[scope, limits.asksPerMinute] as const],
  );
}
