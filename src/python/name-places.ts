import { parse } from './syntax/parse.ts';
import type { Kind } from './syntax/parse.ts';
import type { Position } from './syntax/token.ts';
import { isName, within } from './syntax/within.ts';

/** Where each name stands first in a snippet; line and column count from 1. @throws PySyntaxError */
export function namePlaces(source: string, kind: Kind): ReadonlyMap<string, Position> {
  const places = new Map<string, Position>();
  for (const { id, at } of [...within(parse(source, kind))].filter(isName)) {
    const known = places.get(id);
    if (known === undefined || isBefore(at, known)) places.set(id, at);
  }
  return places;
}

const isBefore = (a: Position, b: Position): boolean => a.line < b.line || (a.line === b.line && a.column < b.column);
