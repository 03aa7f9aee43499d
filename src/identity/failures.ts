/** Wrong passwords of one address: so many at once, and so many more a minute. */
const BURST = 20;
const PER_MINUTE = 20;
const MOST_ADDRESSES = 10_000;

type Bucket = { readonly left: number; readonly at: number };

/** How often one address may be wrong, in this process. */
export type Failures = {
  /** seconds until this address may try again, undefined when it may */
  readonly wait: (address: string) => number | undefined;
  readonly add: (address: string) => void;
};

/** One IPv6 customer has at least a /64 of addresses. */
const networkOf = (address: string): string => (address.includes(':') && !address.includes('.') ? expandIpv6(address).slice(0, 4).join(':') : address);

const expandIpv6 = (address: string): readonly string[] => {
  const [head = '', tail = ''] = address.split('::');
  const [front, back] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)];
  return [...front, ...Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0'), ...back];
};

/** @param clock milliseconds since 1970 */
export const openFailures = (clock: () => number): Failures => {
  const buckets = new Map<string, Bucket>();
  const leftOf = (key: string, now: number): number => {
    const bucket = buckets.get(key);
    return bucket === undefined ? BURST : Math.min(BURST, bucket.left + ((now - bucket.at) / 60_000) * PER_MINUTE);
  };
  return {
    wait: (address) => {
      const left = leftOf(networkOf(address), clock());
      return left >= 1 ? undefined : Math.ceil(((1 - left) / PER_MINUTE) * 60);
    },
    add: (address) => {
      const [key, now] = [networkOf(address), clock()];
      const left = Math.max(0, leftOf(key, now) - 1);
      buckets.delete(key);
      buckets.set(key, { left, at: now });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
    },
  };
};
