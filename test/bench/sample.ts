/** One measurement in one round. Latencies in milliseconds. */
export type Sample = { readonly perSecond: number; readonly p50: number; readonly p99: number };

/** A measurement in every round. */
export type Series = {
  readonly name: string;
  /** name of the empty Express route of the same method, for an HTTP request */
  readonly express?: string;
  /** name of the bare loop with the same SQL and number of connections */
  readonly bare?: string;
  readonly measure: () => Promise<Sample>;
};

/** A number that is not a rate: a time or a size, one value for each reading. */
export type Fact = {
  readonly name: string;
  readonly unit: 'ms' | 'MiB' | 'KiB' | 'times';
  readonly values: readonly number[];
};

/** The q-quantile of the values; NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @param latencies of every request, ms @param seconds for all of them together */
export function sampleOf(latencies: readonly number[], seconds: number): Sample {
  return {
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/**
 * Runs `work` for every item with `inFlight` workers, each of which takes the next item when it is
 * free.
 *
 * @param inFlight number of workers; each gets its number, for its own connection
 */
export async function measureLoop<Item>(
  items: readonly Item[],
  inFlight: number,
  work: (item: Item, worker: number) => Promise<unknown>,
): Promise<Sample> {
  const latencies: number[] = [];
  const queue = items.values();
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async (_, worker) => {
      for (const item of queue) {
        const sent = performance.now();
        await work(item, worker);
        latencies.push(performance.now() - sent);
      }
    }),
  );
  return sampleOf(latencies, (performance.now() - begun) / 1000);
}
