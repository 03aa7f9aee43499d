import { toNobody, type Channel } from './channel.ts';

type Bucket = { readonly left: number; readonly at: number };

/** That something was taken from a bucket; a negative count gives back. */
type Taken = { readonly key: string; readonly aMinute: number; readonly count: number };

/** What is taken at other planners of the service. */
export type Takings = Channel<Taken>;

/**
 * Token buckets: what a minute allows may be taken at once, and then flows back. What other planners
 * of the service take is known a moment later, so that a bucket may fall below zero: then it takes
 * longer until there is something again, and over time the rate is that of one planner.
 */
export type Buckets = {
  readonly left: (key: string, aMinute: number) => number;
  /** seconds until one can be taken; undefined when it can be now */
  readonly wait: (key: string, aMinute: number) => number | undefined;
  readonly take: (key: string, aMinute: number) => void;
  /** gives back what was taken */
  readonly give: (key: string, aMinute: number) => void;
};

/** Above it, the least recent bucket is forgotten and is full anew. */
const MOST_BUCKETS = 100_000;
const MINUTE_MS = 60_000;

/**
 * @param clock milliseconds, of any origin
 * @param others that take from the same buckets
 * @param debt minutes in which an empty bucket has something again, however much was taken at once
 */
export function openBuckets(
  clock: () => number,
  others: Takings = toNobody(),
  debt = Infinity,
): Buckets {
  const buckets = new Map<string, Bucket>();
  const left = (key: string, aMinute: number): number => {
    const bucket = buckets.get(key);
    return bucket === undefined
      ? aMinute
      : Math.min(aMinute, bucket.left + ((clock() - bucket.at) / MINUTE_MS) * aMinute);
  };
  const count = ({ key, aMinute, count: taken }: Taken): void => {
    const rest = Math.max(left(key, aMinute) - taken, -debt * aMinute);
    const now = { left: Math.min(aMinute, rest), at: clock() };
    buckets.delete(key);
    buckets.set(key, now);
    const [oldest] = buckets.keys();
    if (buckets.size > MOST_BUCKETS && oldest !== undefined) buckets.delete(oldest);
  };
  const change = (taken: Taken): void => {
    count(taken);
    others.tell(taken);
  };
  others.hear(count);
  return {
    left,
    wait: (key, aMinute) => {
      const now = left(key, aMinute);
      return now >= 1 ? undefined : Math.ceil(((1 - now) / aMinute) * 60);
    },
    take: (key, aMinute) => change({ key, aMinute, count: 1 }),
    give: (key, aMinute) => {
      if (buckets.has(key)) change({ key, aMinute, count: -1 });
    },
  };
}
