import { isUtf8 } from 'node:buffer';
import { Problem } from '../../words/problem.ts';

/** One parameter: its name as the client first wrote it, and its values in their order. */
export type ControlParameter = { readonly name: string; readonly values: readonly string[] };

/**
 * The parameters of a request, by their names in upper case. Names are case-insensitive, values are
 * case-sensitive (DALI § 4.1).
 */
export type ControlParameters = ReadonlyMap<string, ControlParameter>;

/** Collects names and values into one set of parameters. */
export function parametersOf(
  pairs: Iterable<readonly [name: string, value: string]>,
): ControlParameters {
  const found = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const [name, value] of pairs) {
    const key = name.toUpperCase();
    const known = found.get(key);
    if (known === undefined) found.set(key, { name, values: [value] });
    else known.values.push(value);
  }
  return found;
}

/** Bytes that are percent-encoded, one after the other. */
const CODED = /(?:%[\da-f]{2})+/gi;

/**
 * Reads `a=1&b=2` texts of the query and of an application/x-www-form-urlencoded body into one set
 * of parameters.
 *
 * @throws Problem `parameter-invalid` (400) for other characters than those of UTF-8, which would
 * become another text
 */
export function readParameters(...texts: readonly string[]): ControlParameters {
  for (const text of texts)
    for (const [coded] of text.matchAll(CODED))
      if (!isUtf8(Buffer.from(coded.replaceAll('%', ''), 'hex')))
        throw new Problem('parameter-invalid', `${shownValue(coded)} is not valid UTF-8.`);
  return parametersOf(texts.flatMap((text) => [...new URLSearchParams(text)]));
}

/** The query of a request's target, which may be none of a URL, such as `//:`. */
export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(queryText(target));
}

/** The same as it was sent, from its question mark on; empty without one. */
export function queryText(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? '' : target.slice(at);
}

/** Joins two sets of parameters. */
export function joined(first: ControlParameters, second: ControlParameters): ControlParameters {
  if (second.size === 0) return first;
  return parametersOf(
    [...first.values(), ...second.values()].flatMap(({ name, values }) =>
      values.map((value) => [name, value] as const),
    ),
  );
}

/** Prints a client's value for a message: in quotes, and at most a line long. */
export function shownValue(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

/** @returns the problem `parameter-invalid` (400), with the value and what it must be */
export function invalidParameter(name: string, value: string, wanted: string): Problem {
  return new Problem(
    'parameter-invalid',
    `${name} is ${shownValue(value)}; it must be ${wanted}.`,
    { errors: [{ path: name, text: `must be ${wanted}` }] },
  );
}

/**
 * The value of a parameter that a client may give once.
 *
 * @returns undefined without that parameter
 * @throws Problem `parameter-invalid` when it is given twice, even once in the query and once in
 * the body.
 */
export function single(parameters: ControlParameters, name: string): string | undefined {
  const values = parameters.get(name)?.values ?? [];
  if (values.length > 1) {
    throw new Problem(
      'parameter-invalid',
      `${name} is given ${values.length} times; it must be given once.`,
      { errors: [{ path: name, text: 'must be given once' }] },
    );
  }
  return values[0];
}

/**
 * @returns the value as `read` reads it, or undefined without that parameter
 * @throws Problem `parameter-invalid` (400).
 */
export function singleAs<Value>(
  parameters: ControlParameters,
  name: string,
  wanted: string,
  read: (text: string) => Value | undefined,
): Value | undefined {
  const text = single(parameters, name);
  if (text === undefined) return undefined;
  const value = read(text);
  if (value === undefined) throw invalidParameter(name, text, wanted);
  return value;
}

const LARGEST_INT = 2 ** 31 - 1;

/**
 * Reads a whole number without a sign. A larger one than xs:int becomes the largest xs:int, since
 * each use has a lower limit.
 */
export function readCount(text: string): number | undefined {
  return /^\d{1,18}$/.test(text) ? Math.min(Number(text), LARGEST_INT) : undefined;
}
