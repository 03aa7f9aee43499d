import { FuelExhausted, raise } from './errors.ts';
import type { PyError } from './errors.ts';
import type { DecimalContext } from './modules/decimal/context.ts';
import type { Twister } from './modules/twister.ts';
import type { Value } from './objects/object.ts';
import type { Transcript } from './transcript.ts';

/**
 * Steps an evaluation may take: one per loop turn, call and element touched by a
 * built-in. Shared by whoever holds it.
 */
export class Fuel {
  left: number;

  constructor(units: number) {
    this.left = units;
  }
}

/** Stand-ins that `import` finds, by dotted name. */
export type Modules = Pick<ReadonlyMap<string, Value>, 'get'>;

/**
 * What one evaluation may use of the world. `random` is uniform in [0, 1); `now` is milliseconds
 * since 1970 UTC. What is printed and logged is lost without `transcript`.
 */
export type RunOptions = {
  readonly fuel: Fuel;
  readonly random?: () => number;
  readonly now?: () => number;
  readonly modules?: Modules;
  readonly transcript?: Transcript;
};

/**
 * State of the evaluation under way. One object for ever, so that emitted code and
 * built-ins reach it without a lookup.
 */
export const frame: {
  left: number;
  depth: number;
  line: number;
  random: (() => number) | undefined;
  now: (() => number) | undefined;
  modules: Modules | undefined;
  /** What `random.seed` set for the rest of the evaluation. */
  twister: Twister | undefined;
  /** `__name__` of the snippet: the module of the classes it makes. */
  module: string;
  transcript: Transcript | undefined;
  /** What the `except` under way has caught. */
  handled: PyError | undefined;
  /** The context of `decimal`, once the evaluation has asked for it. */
  decimal: DecimalContext | undefined;
} = {
  left: Infinity,
  depth: 0,
  line: 0,
  random: undefined,
  now: undefined,
  modules: undefined,
  twister: undefined,
  module: 'builtins',
  transcript: undefined,
  handled: undefined,
  decimal: undefined,
};

/** Ends the evaluation: the fuel is gone and stays gone, so every later tick ends it again. */
export function exhausted(): never {
  throw new FuelExhausted();
}

/**
 * Ends this evaluation and every later one on the same fuel: it needs what is not
 * there yet. No `except` catches it.
 * @throws FuelExhausted
 */
export function giveUp(): never {
  frame.left = -1;
  exhausted();
}

/** Pays for `units` steps of work before a built-in does it. */
export function tick(units: number): void {
  frame.left -= units;
  if (frame.left < 0) exhausted();
}

/** Longest string a built-in makes, in UTF-16 units; beyond, MemoryError. */
const MAX_TEXT = 1 << 24;

/**
 * Pays for a string of `length` units.
 * @throws MemoryError when it is longer than a snippet may make
 */
export function payForText(length: number): void {
  if (length > MAX_TEXT) raise('MemoryError', '');
  tick(length >> 6);
}

/**
 * Runs `body` as one evaluation on the given options and gives the unused fuel
 * back. Evaluations nest: a host object may evaluate another snippet while one is
 * running, and the outer one pays too.
 * @throws FuelExhausted also when the snippet swallowed the first one in a `finally: return`
 */
export function evaluateSnippet(options: RunOptions, body: () => Value): Value {
  // Field by field: an object spread and two `Object.assign` were 5 of 68 µs of a
  // decision, which runs 25 snippets.
  const {
    left: before,
    depth,
    line,
    random,
    now,
    modules,
    twister,
    module,
    transcript,
    handled,
    decimal,
  } = frame;
  const allowed = Math.min(options.fuel.left, before);
  frame.left = allowed;
  frame.line = 1;
  frame.random = options.random;
  frame.now = options.now;
  frame.modules = options.modules;
  frame.twister = undefined;
  frame.transcript = options.transcript;
  frame.handled = undefined;
  frame.decimal = undefined;
  try {
    const result = body();
    if (frame.left < 0) exhausted();
    return result;
  } finally {
    const used = allowed - frame.left;
    options.fuel.left -= used;
    frame.left = before - used;
    frame.depth = depth;
    frame.line = line;
    frame.random = random;
    frame.now = now;
    frame.modules = modules;
    frame.twister = twister;
    frame.module = module;
    frame.transcript = transcript;
    frame.handled = handled;
    frame.decimal = decimal;
  }
}
