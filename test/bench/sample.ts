/** One measurement in one round. Latencies in milliseconds. */
export type Sample = { readonly perSecond: number; readonly p50: number; readonly p99: number };

/** Something that is measured once in every round. */
export type Series = {
  readonly name: string;
  /** name of the empty Express route of the same method, when this is an HTTP request */
  readonly express?: string;
  /** name of the same SQL in a bare loop, with the same number of connections */
  readonly bare?: string;
  readonly measure: () => Promise<Sample>;
};

/** A number that is no rate: a time, a size. One value for each time it was read. */
export type Fact = {
  readonly name: string;
  readonly unit: 'ms' | 'MiB' | 'KiB' | 'times';
  readonly values: readonly number[];
};

/** The value that a share `q` of the values does not exceed; NaN of nothing. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @param latencies of every request, ms @param seconds that all of them took together */
export function sampleOf(latencies: readonly number[], seconds: number): Sample {
  return {
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/**
 * Runs `work` for every item, so many at a time, each worker taking the next item when it is done.
 *
 * @param inFlight number of workers; each is told its number, for a connection of its own
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
