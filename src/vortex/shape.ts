/**
 * Parses JSON from outside: gives a value of the type, or throws a ShapeError that names the path.
 */
export type Shape<T> = (value: unknown, path: string) => T;

/** JSON of another shape than expected. */
export class ShapeError extends Error {
  constructor(path: string, expected: string) {
    super(`${path} must be ${expected}`);
    this.name = 'ShapeError';
  }
}

/** Rule files match strings against patterns, and longer strings would only feed backtracking. */
const LONGEST_NAME = 1_000;
const MOST_ITEMS = 10_000;

/** A string of any length. */
export function stringShape(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuse(path, 'a string');
}

/** A string of at most 1,000 characters. */
export function name(value: unknown, path: string): string {
  return typeof value === 'string' && value.length <= LONGEST_NAME
    ? value
    : refuse(path, `a string of at most ${LONGEST_NAME} characters`);
}

export function finite(value: unknown, path: string): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse(path, 'a number');
}

export function bool(value: unknown, path: string): boolean {
  return typeof value === 'boolean' ? value : refuse(path, 'true or false');
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value, path) => (value === null ? null : shape(value, path));
}

export function oneOf<const T extends string>(...words: readonly T[]): Shape<T> {
  return (value, path) =>
    words.find((word) => word === value) ?? refuse(path, `one of ${words.join(', ')}`);
}

/** The first shape that fits. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return (value, path) => {
    try {
      return first(value, path);
    } catch (error) {
      if (error instanceof ShapeError) return second(value, path);
      throw error;
    }
  };
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return (value, path) =>
    Array.isArray(value) && value.length <= MOST_ITEMS
      ? value.map((item: unknown, index) => shape(item, `${path}[${index}]`))
      : refuse(path, `a list of at most ${MOST_ITEMS} items`);
}

/** An object with any keys. */
export function table<T>(shape: Shape<T>): Shape<{ readonly [key: string]: T }> {
  return (value, path) =>
    Object.fromEntries(
      Object.entries(record(value, path)).map(([key, item]) => [
        key,
        shape(item, `${path}.${key}`),
      ]),
    );
}

type Shapes = { readonly [key: string]: Shape<unknown> };
type Fields<R extends Shapes> = { readonly [K in keyof R]: ReturnType<R[K]> };

/** An object with the named keys, `optional` ones if they are there; other keys are left out. */
export function object<R extends Shapes>(required: R): Shape<Fields<R>>;
export function object<R extends Shapes, O extends Shapes>(
  required: R,
  optional: O,
): Shape<Fields<R> & Partial<Fields<O>>>;
export function object(
  required: Shapes,
  optional: Shapes = {},
): Shape<{ readonly [key: string]: unknown }> {
  const [always, sometimes] = [Object.entries(required), Object.entries(optional)];
  // Filled key by key: a decision has thousands of keys, and an object made of entries takes twice
  // as long.
  return (value, path) => {
    const from = record(value, path);
    const read: { [key: string]: unknown } = {};
    for (const [key, shape] of always) read[key] = shape(from[key], `${path}.${key}`);
    for (const [key, shape] of sometimes)
      if (from[key] !== undefined) read[key] = shape(from[key], `${path}.${key}`);
    return read;
  };
}

/** An object whose `key` names its shape. */
export function tagged<K extends string, V extends { readonly [tag: string]: Shape<unknown> }>(
  key: K,
  variants: V,
): Shape<
  { [T in keyof V & string]: { readonly [key in K]: T } & ReturnType<V[T]> }[keyof V & string]
>;
export function tagged(key: string, variants: Shapes): Shape<unknown> {
  return (value, path) => {
    const from = record(value, path);
    const tag = from[key];
    const shape =
      typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
    if (shape === undefined)
      return refuse(`${path}.${key}`, `one of ${Object.keys(variants).join(', ')}`);
    const rest = shape(value, path);
    return Object.assign({ [key]: tag }, isRecord(rest) ? rest : {});
  };
}

function refuse(path: string, expected: string): never {
  throw new ShapeError(path, expected);
}

function record(value: unknown, path: string): { readonly [key: string]: unknown } {
  return isRecord(value) ? value : refuse(path, 'an object');
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
