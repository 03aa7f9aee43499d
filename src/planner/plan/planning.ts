import type { Database } from '../../db/client.ts';
import { readBook, readOutlook } from '../../schedule/book.ts';
import type { Forecasts } from '../../schedule/forecasts.ts';
import type { Instant } from '../../schedule/interval.ts';
import { readResultsUse } from '../../schedule/results.ts';
import { readStores } from '../../schedule/stores.ts';
import type { Site } from '../../site/site.ts';
import { plan, type Book, type Plan, type PlanShortlist } from './answer.ts';
import type { Ask } from '../ask.ts';
import type { Suitable } from '../judge/candidate.ts';
import { reachOf } from './fit.ts';
import type { Outlook } from './outlook.ts';
import { storedSize, storesAnything } from '../judge/storing.ts';

/** A plan, and the database's time that it was made for. */
export type Planned = {
  readonly now: Instant;
  readonly planned: Plan;
  /** were a destination's reservations read for it? */ readonly isRead: (
    destination: string,
  ) => boolean;
};

/** Plans an ask at the destinations that could take it. */
export type Planning = (asked: Ask, site: Site, list: PlanShortlist) => Promise<Planned>;

/**
 * Two ways to plan: on what the planner remembers where that is enough, and
 * on what the book says exactly.
 */
export function createPlanning(
  database: Database,
  outlook: Outlook,
  forecasts: () => Forecasts = () => new Map(),
): { readonly quickly: Planning; readonly exactly: Planning } {
  const read = async (site: Site, suitable: readonly Suitable[]): Promise<Book> => {
    const leads = Math.max(
      0,
      ...suitable.map(({ destination: { prepare, release } }) => prepare + release),
    );
    const pools = new Set(
      suitable.flatMap((one) =>
        outlook.hasResultRoom(one) ? [] : (one.destination.results?.name ?? []),
      ),
    );
    const [book, results] = await Promise.all([
      readBook(
        database,
        suitable.map(({ id }) => id),
        reachOf(site.offers, leads),
      ),
      readResultsUse(database, [...pools]),
    ]);
    outlook.learn({ now: book.now, live: new Map() });
    return { ...book, results, forecasts: forecasts() };
  };

  const exactly: Planning = async (asked, site, list) => {
    const book = await read(site, list.suitable);
    const stores = storesAnything(asked)
      ? await readStores(database, storedSize(asked))
      : new Map();
    return {
      now: book.now,
      planned: plan(asked, site, list, { ...book, stores }),
      isRead: () => true,
    };
  };

  /** Where the outlook says that there is room whatever is reserved, the book need not be read. */
  const quickly: Planning = async (asked, site, list) => {
    if (storesAnything(asked)) return exactly(asked, site, list);
    if (outlook.now() === undefined) outlook.learn(await readOutlook(database));
    const { most } = site.offers;
    const { near, unknown } = nearest(list.suitable, most, outlook.isRoomy);
    const now = outlook.now();
    const book =
      now !== undefined && unknown.length === 0
        ? { now, taken: new Map(), forecasts: forecasts() }
        : await read(site, unknown);
    const planned = plan(asked, site, { ...list, suitable: near }, book);
    const isWhole =
      near.length === list.suitable.length ||
      (planned.result === 'YES' && planned.rooms.length === most);
    const isRead = (destination: string): boolean => unknown.some(({ id }) => id === destination);
    return isWhole ? { now: book.now, planned, isRead } : exactly(asked, site, list);
  };

  return { quickly, exactly };
}

/**
 * The first destinations in the rules' order, until so many of them are known to
 * have room; and those that are not.
 */
function nearest(suitable: readonly Suitable[], most: number, isRoomy: Outlook['isRoomy']) {
  const near: Suitable[] = [];
  const unknown: Suitable[] = [];
  for (const one of suitable) {
    near.push(one);
    if (!isRoomy(one)) unknown.push(one);
    if (near.length - unknown.length === most) break;
  }
  return { near, unknown };
}
