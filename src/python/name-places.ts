import { parse } from './syntax/parse.ts';
import type { SnippetGrammar } from './syntax/parse.ts';
import type { TokenPosition } from './syntax/token.ts';
import { isName, partsWithin } from './syntax/within.ts';

/**
 * The first place of each name in a snippet; line and column count from 1.
 * @throws PySyntaxError
 */
export function namePlaces(
  source: string,
  kind: SnippetGrammar,
): ReadonlyMap<string, TokenPosition> {
  const places = new Map<string, TokenPosition>();
  for (const { id, at } of [...partsWithin(parse(source, kind))].filter(isName)) {
    const known = places.get(id);
    if (known === undefined || isBefore(at, known)) places.set(id, at);
  }
  return places;
}

function isBefore(a: TokenPosition, b: TokenPosition): boolean {
  return a.line < b.line || (a.line === b.line && a.column < b.column);
}
