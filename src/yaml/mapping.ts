import { DuplicateKey, YamlError } from './error.ts';
import { describe } from './node.ts';
import type { MapEntry, Node } from './node.ts';

/**
 * The entries of a mapping, with merge keys (`<<`) below its own keys. Merged keys follow the own
 * ones, an earlier source before a later one, as in ruamel.yaml. Throws YamlError, for a duplicate
 * key too.
 */
export function entriesOf(pairs: readonly MapEntry[]): readonly MapEntry[] {
  const entries = new Map<string, MapEntry>();
  const merged: MapEntry[] = [];
  for (const pair of pairs) {
    if (isMergeKey(pair.key)) {
      merged.push(...mergedEntries(pair.value));
      continue;
    }
    const id = keyId(pair.key);
    const first = entries.get(id);
    if (first !== undefined) {
      const { line, column } = pair.key.at;
      const name = pair.key.kind === 'string' ? `'${pair.key.value}'` : describe(pair.key);
      throw new DuplicateKey(
        `the key ${name} is here twice; first on line ${first.key.at.line}`,
        line,
        column,
      );
    }
    entries.set(id, pair);
  }
  for (const entry of merged) {
    const id = keyId(entry.key);
    if (!entries.has(id)) entries.set(id, entry);
  }
  return [...entries.values()];
}

function isMergeKey(key: Node): boolean {
  // A quoted '<<' starts one column before its text.
  return key.kind === 'string' && key.value === '<<' && key.at.column === key.text.column;
}

function mergedEntries(value: Node): readonly MapEntry[] {
  if (value.kind === 'map') return value.entries;
  if (value.kind === 'seq')
    return value.items.flatMap((item) => (item.kind === 'map' ? item.entries : refuse(item)));
  return refuse(value);
}

function refuse(value: Node): never {
  throw new YamlError(
    `'<<' merges mappings, and this is ${describe(value)}`,
    value.at.line,
    value.at.column,
  );
}

/** Keys are equal by YAML's rule: same kind, same value. */
function keyId(key: Node): string {
  switch (key.kind) {
    case 'null':
      return 'null';
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
    case 'date':
      return `${key.kind}:${key.value}`;
    case 'seq':
    case 'map':
      throw new YamlError(
        `a key must be a scalar, and this is ${describe(key)}`,
        key.at.line,
        key.at.column,
      );
    default:
      return key satisfies never;
  }
}
