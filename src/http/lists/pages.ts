import type { Request } from 'express';
import type { OfferPlace } from '../../planner/record/offer-rows.ts';
import { parseAskId, type AskId } from '../../words/ids.ts';
import { faulty } from '../body/faulty.ts';

/** How long the pages of a list are: unless the client says it, and at most. */
type PageLength = { readonly usual: number; readonly most: number };

/** Pages of the lists that no draft has. */
export const OWN_PAGE: PageLength = { usual: 50, most: 200 };

/** A page of a list, and the cursor after it; undefined: it is the last one. */
type Page<Item> = { readonly items: readonly Item[]; readonly next: string | undefined };

/**
 * A page of what a list has after a place.
 *
 * @param read reads items after the place of the client's cursor, up to a number
 * @param cursorAfter the cursor of the place after an item
 */
export async function pageOf<Item>(
  limit: number,
  read: (limit: number) => Promise<readonly Item[]>,
  cursorAfter: (item: Item) => string,
): Promise<Page<Item>> {
  // One more tells whether there is a next page.
  const found = await read(limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next: found.length > limit && last !== undefined ? cursorAfter(last) : undefined,
  };
}

/** @throws Problem `parameter-invalid` (400) */
export function pageLimit({ query }: Request, { usual, most }: PageLength): number {
  const given = query['limit'];
  if (given === undefined) return usual;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit > 0) return Math.min(limit, most);
  throw faulty('parameter', 'limit', 'must be a whole number above 0');
}

export function printPlace({ ask, place }: OfferPlace): string {
  return `${ask}.${place}`;
}

/**
 * The place after which a page begins: an ask, or an offer's place in the answer.
 *
 * @param name of the parameter that has it
 * @throws Problem `parameter-invalid` (400)
 */
export function placeAfter({ query }: Request, name: string): OfferPlace | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  const [, ask = '', place = '0'] = /^([\da-f-]{36})(?:\.(\d{1,3}))?$/.exec(String(given)) ?? [];
  const id: AskId | undefined = parseAskId(ask);
  if (id !== undefined) return { ask: id, place: Number(place) };
  throw faulty('parameter', name, 'must be that of the page before');
}
