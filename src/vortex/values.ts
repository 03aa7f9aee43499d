import {
  asNumber,
  float,
  PyDict,
  PyList,
  PyObject,
  PySet,
  PyTuple,
  str,
  yamlTimestamp,
} from '../python/index.ts';
import type { Value } from '../python/index.ts';
import type { Node } from '../yaml/index.ts';
import type { Json } from './job.ts';

/** The Python value of a YAML value. */
export function fromNode(node: Node): Value {
  switch (node.kind) {
    case 'null':
      return null;
    case 'bool':
    case 'int':
    case 'string':
      return node.value;
    case 'float':
      return float(node.value);
    case 'date':
      return yamlTimestamp(node.value);
    case 'seq':
      return new PyList(node.items.map(fromNode));
    case 'map':
      return new PyDict(node.entries.map(({ key, value }) => [fromNode(key), fromNode(value)]));
    default:
      return node satisfies never;
  }
}

/** The Python value of JSON. A number without a fraction becomes an int. */
export function fromJson(json: Json): Value {
  if (json === null || typeof json === 'boolean' || typeof json === 'string') return json;
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json : float(json);
  if (isList(json)) return new PyList(json.map(fromJson));
  return new PyDict(Object.entries(json).map(([key, value]) => [key, fromJson(value)]));
}

/** JSON of a Python value; a value without a JSON form becomes its text. */
export function toJson(value: Value): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  const number = asNumber(value);
  if (number !== undefined)
    return Number.isFinite(number) && typeof value !== 'bigint' ? number : str(value);
  if (value instanceof PyList || value instanceof PyTuple) return value.items.map(toJson);
  if (value instanceof PyDict) return jsonObject(value);
  return str(value);
}

/** A dict as a JSON object, in its order; only keys that look like array indices come first. */
export function jsonObject(dict: PyDict | null): { readonly [key: string]: Json } {
  return Object.fromEntries(
    dict === null ? [] : dict.pairs().map(([key, value]) => [str(key), toJson(value)]),
  );
}

/** Python's `copy.deepcopy` of plain data; anything else is shared. */
export function copyValue(value: Value): Value {
  if (!(value instanceof PyObject)) return value;
  if (value instanceof PyList) return copyList(value);
  if (value instanceof PyDict) return copyDict(value);
  if (value instanceof PyTuple) return new PyTuple(value.items.map(copyValue));
  if (value instanceof PySet) return value.frozen ? value : value.copy(false);
  return value;
}

/** Whether `copyValue` copies it; a frozen set stays what it is. */
export function isCopied(value: Value): boolean {
  return (
    value instanceof PyList ||
    value instanceof PyDict ||
    value instanceof PyTuple ||
    value instanceof PySet
  );
}

export function copyList(list: PyList): PyList {
  return new PyList(list.items.map(copyValue));
}

export function copyDict(dict: PyDict): PyDict {
  return addCopies(new PyDict(), dict);
}

/**
 * A dict with the parent's entries, then the child's. The child's values win; the parent's order
 * stays. Null when both are.
 */
export function mergeDicts(parent: PyDict | null, child: PyDict | null): PyDict | null {
  if (parent === null) return child === null ? null : copyDict(child);
  const merged = copyDict(parent);
  return child === null || child === parent ? merged : addCopies(merged, child);
}

/** A JSON object. */
export function isTable(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !isList(json);
}

export function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

function addCopies(to: PyDict, from: PyDict): PyDict {
  for (const [hashed, { key, value }] of from.table) {
    const entry = to.table.get(hashed);
    if (entry === undefined) to.table.set(hashed, { key, value: copyValue(value) });
    else entry.value = copyValue(value);
  }
  return to;
}
