import { Problem } from '../words/problem.ts';

/**
 * The parameters of a request, from the query and the form body together. Names are case-insensitive and kept in upper
 * case; values are as sent (DALI § 4.1).
 */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/** Reads `a=1&b=2` texts, of the query and of an application/x-www-form-urlencoded body, into one set of parameters. */
export const readParameters = (...texts: readonly string[]): Parameters => {
  const found = new Map<string, string[]>();
  for (const text of texts) {
    for (const [name, value] of new URLSearchParams(text)) {
      const key = name.toUpperCase();
      const values = found.get(key);
      if (values === undefined) found.set(key, [value]);
      else values.push(value);
    }
  }
  return found;
};

/** The parameters of both. */
export const joined = (first: Parameters, second: Parameters): Parameters => {
  if (second.size === 0) return first;
  return new Map([...first, ...[...second].map(([name, values]) => [name, [...(first.get(name) ?? []), ...values]] as const)]);
};

/** A client's value as it may stand in a message: quoted, and not longer than a line. */
export const shown = (value: string): string => JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);

/** @returns the problem `parameter-invalid` (400) that says what the parameter was and what it must be. */
export const invalid = (name: string, value: string, wanted: string): Problem =>
  new Problem('parameter-invalid', `${name} is ${shown(value)}; it must be ${wanted}.`, {
    errors: [{ path: name, text: `must be ${wanted}` }],
  });

/**
 * The value of a parameter that may be given once.
 *
 * @returns undefined when it is not given.
 * @throws Problem `parameter-invalid` when it is given twice, be it in query and body.
 */
export const single = (parameters: Parameters, name: string): string | undefined => {
  const values = parameters.get(name) ?? [];
  if (values.length > 1) {
    throw new Problem('parameter-invalid', `${name} is given ${values.length} times; it must be given once.`, {
      errors: [{ path: name, text: 'must be given once' }],
    });
  }
  return values[0];
};

/** @returns the value read by `read`, or undefined when it is not given. @throws Problem `parameter-invalid` (400). */
export const singleAs = <Value>(
  parameters: Parameters, name: string, wanted: string, read: (text: string) => Value | undefined,
): Value | undefined => {
  const text = single(parameters, name);
  if (text === undefined) return undefined;
  const value = read(text);
  if (value === undefined) throw invalid(name, text, wanted);
  return value;
};

const LARGEST_INT = 2 ** 31 - 1;

/** Reads a whole number without a sign. Above xs:int it becomes the largest xs:int: each use has a lower limit. */
export const readCount = (text: string): number | undefined =>
  /^\d{1,18}$/.test(text) ? Math.min(Number(text), LARGEST_INT) : undefined;
