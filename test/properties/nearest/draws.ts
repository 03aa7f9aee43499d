import fc from 'fast-check';

/** The values of an arbitrary. */
export type Drawn<A> = A extends fc.Arbitrary<infer Value> ? Value : never;

/** An hour, in milliseconds. */
export const HOUR = 3_600_000;
/** Types of GPU that destinations may have. */
export const GPUS = ['urn:gpu:a', 'urn:gpu:b'];

/** A value, or none. */
export function maybe<Value>(value: fc.Arbitrary<Value>) {
  return fc.option(value, { nil: undefined });
}

/** A whole number. */
export function between(min: number, max: number) {
  return fc.integer({ min, max });
}
