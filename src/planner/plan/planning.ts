import type { Database } from '../../db/client.ts';
import { readBook, readLacking } from '../../schedule/book.ts';
import type { Forecasts } from '../../schedule/forecasts.ts';
import type { Instant } from '../../schedule/interval.ts';
import { readResultsUse } from '../../schedule/results.ts';
import { readStores } from '../../schedule/stores.ts';
import type { Site } from '../../site/site.ts';
import type { Ask } from '../ask.ts';
import { considerMore, type Considered, type RulesDecider } from '../considering.ts';
import type { Suitable } from '../judge/candidate.ts';
import type { PlanShortlist } from '../judge/shortlist.ts';
import { storedSize, storesAnything } from '../judge/storing.ts';
import { plan, type Book, type Plan } from './answer.ts';
import { reachOf } from './fit.ts';
import { createOutlookReading, type Outlook } from './outlook.ts';

/** A plan, and the database's time for which it was made. */
export type Planned = {
  readonly now: Instant;
  readonly planned: Plan;
  /** did the plan read the reservations of a destination? */
  readonly isRead: (destination: string) => boolean;
};

/** Plans an ask at the destinations that could take it. */
export type Planning = (asked: Ask, site: Site, list: PlanShortlist) => Promise<Planned>;

/** The ways to plan an ask, each with less to trust than the one before, and slower. */
export type Plannings = {
  /** by what the planner remembers of the book, where that is enough */
  readonly quickly: Planning;
  /** by the book as it is */
  readonly exactly: Planning;
  /** by what the book still has of destinations, too: this planner may know an older site file */
  readonly anew: Planning;
};

export function createPlanning(
  database: Database,
  outlook: Outlook,
  forecasts: () => Forecasts = () => new Map(),
): Plannings {
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

  /** What the book no longer has of a destination is taken. */
  const readAnew = async (site: Site, suitable: readonly Suitable[]): Promise<Book> => {
    const counted = new Map(suitable.map(({ id, destination }) => [id, destination.capacity]));
    const [book, lacking] = await Promise.all([
      read(site, suitable),
      readLacking(database, counted),
    ]);
    const taken = new Map(
      suitable.map(({ id }) => [id, [...(book.taken.get(id) ?? []), ...(lacking.get(id) ?? [])]]),
    );
    return { ...book, taken };
  };

  const readOutlook = createOutlookReading(database, outlook);

  const byBook = async (
    asked: Ask,
    site: Site,
    list: PlanShortlist,
    reading: Promise<Book>,
  ): Promise<Planned> => {
    const [book, stores] = await Promise.all([
      reading,
      storesAnything(asked) ? readStores(database, storedSize(asked), site.storage) : new Map(),
    ]);
    return {
      now: book.now,
      planned: plan(asked, site, list, { ...book, stores }),
      isRead: () => true,
    };
  };
  const exactly: Planning = (asked, site, list) =>
    byBook(asked, site, list, read(site, list.suitable));
  const anew: Planning = (asked, site, list) =>
    byBook(asked, site, list, readAnew(site, list.suitable));

  /** Reads of the book only the destinations where the outlook does not promise room. */
  const quickly: Planning = async (asked, site, list) => {
    if (storesAnything(asked)) return exactly(asked, site, list);
    if (outlook.now() === undefined) await readOutlook();
    const { near, unknown } = nearestWithRoom(list.suitable, site.offers.most, outlook.isRoomy);
    const now = outlook.now();
    const book =
      now !== undefined && unknown.length === 0
        ? { now, taken: new Map(), forecasts: forecasts() }
        : await read(site, unknown);
    const planned = plan(asked, site, { ...list, suitable: near }, book);
    const isWhole = near.length === list.suitable.length || isFull(planned, site);
    const isRead = (destination: string): boolean => unknown.some(({ id }) => id === destination);
    return isWhole ? { now: book.now, planned, isRead } : exactly(asked, site, list);
  };

  return { quickly, exactly, anew };
}

/** A plan, and the answer of the rules that it is based on. */
type PlannedWidely = Planned & { readonly considered: Considered };

/**
 * Plans an ask at the destinations about which the rules were asked, then at more of them, until
 * the answer is full or no other destination matches. So a NO has consulted every destination; a
 * YES only as many as it needs.
 */
export async function planWidely(
  sandbox: RulesDecider,
  first: Considered,
  planning: Planning,
): Promise<PlannedWidely> {
  const plan = async (considered: Considered): Promise<PlannedWidely> => ({
    ...(await planning(considered.asked, considered.site, considered.list)),
    considered,
  });
  let found = await plan(first);
  while (!found.considered.list.isWhole) {
    const { planned, considered } = found;
    if (isFull(planned, considered.site)) return found;
    const wider = await considerMore(sandbox, considered);
    // A few offers are better than a NO because a rule took too long.
    if (wider.verdict.kind === 'sandbox' && planned.result === 'YES') return found;
    found = await plan(wider);
  }
  return found;
}

/** Does an answer have offers of as many destinations as it may? */
export function isFull(planned: Plan, { offers: { most } }: Pick<Site, 'offers'>): boolean {
  return planned.result === 'YES' && planned.rooms.length >= most;
}

/**
 * The first destinations in the rules' order, until `most` of them are known to have room; and
 * those of them that are not.
 */
function nearestWithRoom(suitable: readonly Suitable[], most: number, isRoomy: Outlook['isRoomy']) {
  const near: Suitable[] = [];
  const unknown: Suitable[] = [];
  for (const one of suitable) {
    near.push(one);
    if (!isRoomy(one)) unknown.push(one);
    if (near.length - unknown.length === most) break;
  }
  return { near, unknown };
}
