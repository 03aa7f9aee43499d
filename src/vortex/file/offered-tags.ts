import { list, object, finite, stringShape } from '../shape.ts';
import type { RuleSource } from './rules.ts';

/** Tags that destinations have besides those of the rule files, by destination. */
export type OfferedTags = ReadonlyMap<string, ReadonlySet<string>>;

/** The tags as a source among the rule files; destinations with the same tags share a list. */
export function tagsSource(
  name: string,
  tags: ReadonlyMap<string, readonly string[]>,
): RuleSource | undefined {
  if (tags.size === 0) return undefined;
  const lists: (readonly string[])[] = [];
  const places = new Map<string, number>();
  const destinations = [...tags].map(([id, own]) => {
    const key = JSON.stringify(own);
    const at = places.get(key) ?? lists.push(own) - 1;
    places.set(key, at);
    return { id, list: at };
  });
  return { kind: 'tags', name, text: JSON.stringify({ lists, destinations }) };
}

/** The offered tags of all sources. Throws ShapeError. */
export function offeredTagsIn(sources: readonly RuleSource[]): OfferedTags {
  return new Map(
    sources
      .filter(({ kind }) => kind === 'tags')
      .flatMap(({ text }) => {
        const { lists, destinations } = offered(JSON.parse(text), 'tags');
        const sets = lists.map((one) => new Set(one));
        return destinations.map((one) => [one.id, sets[one.list] ?? new Set<string>()] as const);
      }),
  );
}

const offered = object({
  lists: list(list(stringShape)),
  destinations: list(object({ id: stringShape, list: finite })),
});
