import type { Node } from '../../../yaml/index.ts';
import type { FileReader } from '../file-reader.ts';
import { pythonList, TAG_TYPES, TagSet } from '../../entity/tags.ts';
import type { TagType } from '../../entity/tags.ts';

/**
 * Reads `scheduling`: lists of strings or null by category, no tag twice. Undefined when it has a
 * problem.
 */
export function readTags(node: Node, what: string, read: FileReader): TagSet | undefined {
  const map = read.expectMap(node, what);
  if (map === undefined) return undefined;
  const lists: { [type in TagType]?: readonly string[] | null } = {};
  for (const { name, key, value } of read.entries(map, what)) {
    const type = TAG_TYPES.find((candidate) => candidate === name);
    if (type === undefined)
      read.warning(
        key,
        `${what} has an unknown key '${name}'`,
        `known keys: ${TAG_TYPES.join(', ')}`,
      );
    else if (value.kind === 'null') lists[type] = null;
    else lists[type] = read.expectStrings(value, `'${name}' of ${what}`) ?? [];
  }
  const twice = duplicate(lists);
  if (twice !== undefined)
    read.problem(node, `Duplicate tags found: ${twice}`, 'a tag stands in one category, once');
  return new TagSet(lists);
}

/**
 * The first tag that stands twice, with its categories, in TPV's words; undefined when none does.
 */
function duplicate(lists: { readonly [type in TagType]?: readonly string[] | null }):
  | string
  | undefined {
  const seen = new Map<string, TagType>();
  for (const type of TAG_TYPES) {
    for (const tag of lists[type] ?? []) {
      const first = seen.get(tag);
      if (first !== undefined) return `'${tag}' in ${pythonList([first, type])}`;
      seen.set(tag, type);
    }
  }
  return undefined;
}
