import { YamlError } from '../../yaml/index.ts';
import type { MapEntry, Node } from '../../yaml/index.ts';
import { parseRules } from '../file/parse-rules.ts';

type Plain = string | readonly Plain[] | { readonly [key: string]: Plain };

/**
 * The meaning of a rule file as text, independent of the order of keys and of how values are
 * written; undefined for an unreadable file.
 */
export function plainFile(text: string): string | undefined {
  try {
    return JSON.stringify(plain(parseRules(text)));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return undefined;
  }
}

function plain(node: Node): Plain {
  switch (node.kind) {
    case 'map':
      return Object.fromEntries(node.entries.map(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    case 'seq':
      return node.items.map(plain);
    default:
      return scalar(node);
  }
}

function entry({ key, value }: MapEntry): readonly [string, Plain] {
  return [scalar(key), plain(value)];
}

/** Kind and value: `8` differs from `8.0` and from the text. */
function scalar(node: Node): string {
  return `${node.kind} ${'value' in node ? String(node.value) : ''}`;
}
