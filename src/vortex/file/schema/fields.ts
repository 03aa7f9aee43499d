import { float, PyDict, truthy } from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import type { MapNode, Node } from '../../../yaml/index.ts';
import type { FileReader } from '../file-reader.ts';
import { spelledNumber } from '../../numbers.ts';
import { fromNode } from '../../values.ts';

/** The keys of one mapping of a rule file, and the reader that collects its problems. */
export type Fields = {
  readonly get: (key: string) => Node | undefined;
  readonly what: string;
  readonly read: FileReader;
  readonly isInList: boolean;
};

export const EMPTY: MapNode = { kind: 'map', at: { line: 1, column: 1 }, entries: [] };
const TRUE = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', 'off', '0']);

export function readAbstract({ get, what, read }: Fields): boolean {
  const node = get('abstract');
  if (node === undefined) return false;
  if (node.kind !== 'string') return truthy(fromNode(node));
  const word = node.value.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  if (!FALSE.has(word)) read.problem(node, `'abstract' of ${what} must be true or false`);
  return false;
}

export function readText({ get, what, read }: Fields, key: string): string | null {
  const node = get(key);
  if (node === undefined || node.kind === 'null') return null;
  return read.expectString(node, `'${key}' of ${what}`, 'write it in quotes') ?? null;
}

/** A resource: a number, or Python that gives one. */
export function readAmount({ get, what, read }: Fields, key: string, lazily: boolean): Value {
  const node = get(key);
  if (node === undefined) return null;
  switch (node.kind) {
    case 'null':
      return null;
    case 'bool':
      return node.value ? 1 : 0;
    case 'int':
    case 'float':
      return fromNode(node);
    case 'string':
      read.snippet(node, 'code', lazily, { what, key });
      return node.value;
    default:
      read.problem(node, `'${key}' of ${what} must be a number or a Python expression`);
      return null;
  }
}

/** A limit on what a destination accepts: a number, never an expression. */
export function readLimit({ get, what, read }: Fields, key: string): Value {
  const node = get(key);
  if (node === undefined || node.kind === 'null') return null;
  // An infinite maximum is no limit.
  if (node.kind === 'float' && node.value === Infinity && key.startsWith('max_')) return null;
  return readNumber(node, `'${key}' of ${what}`, read) ?? null;
}

/**
 * A literal number. A boolean counts, and text that spells a number, as in TPV's schema. Undefined
 * after a problem.
 */
export function readNumber(node: Node, what: string, read: FileReader): Value | undefined {
  if ((node.kind === 'int' || node.kind === 'float') && Number.isFinite(Number(node.value)))
    return fromNode(node);
  if (node.kind === 'bool') return Number(node.value);
  const number = node.kind === 'string' ? numberOfText(node.value) : undefined;
  return number ?? read.problem(node, `${what} must be a number`, 'it is not evaluated as Python');
}

/** True or false, in any of the words of TPV's schema. Undefined after a problem. */
export function readBoolean(node: Node, what: string, read: FileReader): boolean | undefined {
  if (node.kind === 'bool') return node.value;
  if ((node.kind === 'int' || node.kind === 'float') && (node.value === 0 || node.value === 1))
    return node.value === 1;
  const word = node.kind === 'string' ? node.value.toLowerCase() : '';
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : read.problem(node, `${what} must be true or false`);
}

export function readDict({ get, what, read, isInList }: Fields, key: string): PyDict | null {
  const node = get(key);
  if (node === undefined || node.kind === 'null') return null;
  const map = read.expectMap(node, `'${key}' of ${what}`);
  if (map === undefined) return null;
  return new PyDict(
    read
      .entries(map, `'${key}' of ${what}`)
      .map(({ name, value }) => [name, read.value(value, isInList)]),
  );
}

/** An int where the text has digits alone, else a float, as pydantic reads it. */
function numberOfText(text: string): Value | undefined {
  const number = spelledNumber(text);
  return number === undefined || /^\s*[-+]?[\d_]+\s*$/.test(text) ? number : float(number);
}
