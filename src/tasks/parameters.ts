import { KEYWORDS } from '../python/keywords.ts';
import { isRecord } from '../words/record.ts';
import { invalidSpec, type SpecReader } from './spec-reader.ts';
import { shown } from './task.ts';

/** A value that JSON can represent, so that an offer repeats exactly what the task gets. */
export type NotebookValue =
  | string
  | number
  | boolean
  | null
  | readonly NotebookValue[]
  | { readonly [key: string]: NotebookValue };

/** Values for the variables of a notebook, by name. */
export type NotebookParameters = Readonly<Record<string, NotebookValue>>;

const MOST = 200;
const LARGEST = 100_000;
const DEEPEST = 20;

/**
 * Reads `parameters`: names of variables and their values. Undefined if absent; problems are noted.
 */
export function readNotebookParameters(reader: SpecReader): NotebookParameters | undefined {
  const value = reader.fields.get('parameters');
  if (value === undefined) return undefined;
  if (!isRecord(value)) {
    invalidSpec(reader, 'parameters', 'parameters must be a mapping of names to values');
    return undefined;
  }
  const entries = Object.entries(value);
  if (entries.length > MOST) {
    invalidSpec(reader, 'parameters', 'there are too many parameters', entries.length, MOST);
    return undefined;
  }
  const parameters = Object.fromEntries(
    entries.flatMap(([name, item]) => readParameter(reader, name, item)),
  );
  const size = JSON.stringify(parameters).length;
  if (size <= LARGEST) return parameters;
  invalidSpec(reader, 'parameters', 'the parameters are too long; a file has a URL', size, LARGEST);
  return undefined;
}

function readParameter(
  reader: SpecReader,
  name: string,
  value: unknown,
): readonly (readonly [string, NotebookValue])[] {
  const key = `parameters.${shown(name)}`;
  if (!/^[A-Za-z_]\w{0,99}$/.test(name) || KEYWORDS.has(name)) {
    invalidSpec(
      reader,
      key,
      'the name of a parameter must be a Python variable of letters, digits and _, at most 100 of them',
      shown(name),
    );
    return [];
  }
  const parsed = parseParameter(value, DEEPEST);
  if (parsed !== undefined) return [[name, parsed]];
  invalidSpec(
    reader,
    key,
    `a parameter is text, a finite number, true, false, null, or a list or mapping of these, at most ${DEEPEST} deep`,
  );
  return [];
}

function parseParameter(value: unknown, deepest: number): NotebookValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (deepest === 0) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => parseParameter(item, deepest - 1));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  // A YAML date is an object, but not JSON.
  if (!isRecord(value) || Object.prototype.toString.call(value) !== '[object Object]')
    return undefined;
  const entries = Object.entries(value).map(
    ([key, item]) => [key, parseParameter(item, deepest - 1)] as const,
  );
  const parsed = entries.flatMap(([key, item]) =>
    item === undefined ? [] : [[key, item] as const],
  );
  return parsed.length === entries.length ? Object.fromEntries(parsed) : undefined;
}
