/** The evaluation used up its fuel. No `except` of the snippet can catch it. */
export class FuelExhausted extends Error {
  constructor() {
    super('the expression used up its budget of steps');
    this.name = 'FuelExhausted';
  }
}

/**
 * Steps an evaluation may take: one per loop turn, call, and element that a built-in touches. All
 * holders share it.
 */
export class Fuel {
  left: number;

  constructor(units: number) {
    this.left = units;
  }
}

/**
 * Counters of the evaluation under way: steps left, depth of calls, line of the snippet. The object
 * never changes, so emitted code and built-ins reach it without a lookup.
 */
export const meter = { left: Infinity, depth: 0, line: 0 };

/** Ends the evaluation: the fuel stays used up, so every later tick ends it again. */
export function exhausted(): never {
  throw new FuelExhausted();
}

/**
 * Ends this evaluation and every later one on the same fuel: it needs data that the embedder
 * has to fetch first. No `except` catches it.
 * @throws FuelExhausted
 */
export function giveUp(): never {
  meter.left = -1;
  exhausted();
}

/** Pays for `units` steps of work before a built-in does it. */
export function tick(units: number): void {
  meter.left -= units;
  if (meter.left < 0) exhausted();
}
