import { queryFast, type Database } from '../../db/client.ts';
import { ANONYMOUS_OWNER } from '../../identity/principal.ts';
import type { Site } from '../../site/site.ts';
import { toNobody, type Channel } from '../../peers/channel.ts';
import type { AskId } from '../../words/ids.ts';
import { seconds, type Seconds } from '../../words/units.ts';
import type { Excess } from '../guard.ts';

/**
 * Counts, for each identity, the answers of this service whose offers can still be accepted.
 * Without a budget of the site (`holdBudget`) it counts nothing.
 */
export type OpenAnswers = {
  /** The site's terms for this owner: the more of the budget is used, the sooner offers expire. */
  readonly terms: (site: Site, owner: string) => Promise<Site>;
  /** The budget that one more answer would exceed. */
  readonly excess: (site: Pick<Site, 'holdBudget'>, owner: string) => Promise<Excess | undefined>;
  /**
   * Counts an answer that is about to be written.
   * @returns the budget that it would exceed; then it is not counted
   */
  readonly take: (site: Site, owner: string, ask: AskId) => Promise<Excess | undefined>;
  /** The answer was written and is open for at most `ms` milliseconds. */
  readonly keep: (owner: string, ask: AskId, ms: number) => void;
  /** Writing ended; an answer that was not written is no longer counted. */
  readonly settle: (owner: string, ask: AskId) => void;
};

/** Up to this share of a budget offers live as long as usual, and the database is not asked. */
const EASY = 0.5;
/** A budget does not make offers expire sooner than this. */
const SHORTEST_S = 30;
/** Beyond this number of identities, which no site has at a time, the oldest is forgotten. */
const MOST_OWNERS = 100_000;

/** When each answer is no longer open; undefined while it is being written. */
type Open = Map<AskId, number | undefined>;

/** An answer that is open for at most `ms` milliseconds. */
type Opened = { readonly owner: string; readonly ask: AskId; readonly ms: number };

/**
 * Each service counts its own answers: counting in the database would cost every ask a round trip,
 * and all anonymous asks would wait for one lock. When half of a budget is used, the planner asks
 * the database which of these answers are still open. Sites that need an exact count set quotas
 * (docs/guides/quotas.md).
 *
 * @param clock monotonic, milliseconds
 * @param others the other planners of this service, whose answers count, too
 */
export function createOpenAnswers(
  database: Database,
  clock: () => number,
  others: Channel<Opened> = toNobody(),
): OpenAnswers {
  const owners = new Map<string, Open>();

  const forget = async (mine: Open, budget: number): Promise<void> => {
    for (const [ask, until] of mine) if (until !== undefined && until <= clock()) mine.delete(ask);
    if (mine.size < budget * EASY) return;
    const written = [...mine].flatMap(([ask, until]) => (until === undefined ? [] : [ask]));
    const rows = await queryFast(
      database,
      'open_answers',
      `
      SELECT DISTINCT ask_id AS ask FROM offer WHERE ask_id = ANY ($1::uuid[]) AND state = 'OFFERED'
      AND expires_at > clock_timestamp()`,
      [written],
    );
    const open = new Set(rows.map((row): unknown => Object(row).ask));
    for (const ask of written) if (!open.has(ask)) mine.delete(ask);
  };

  const used = async (owner: string, budget: number): Promise<number> => {
    const mine = owners.get(owner);
    if (mine === undefined) return 0;
    await forget(mine, budget);
    if (mine.size === 0 && owners.get(owner) === mine) owners.delete(owner);
    return mine.size;
  };

  const excessNow = (owner: string, budget: number): Excess | undefined => {
    const count = owners.get(owner)?.size ?? 0;
    return count < budget
      ? undefined
      : { scope: owner, what: 'holds', used: count, asked: 1, limit: budget };
  };

  const add = (owner: string, ask: AskId, until?: number): void => {
    owners.set(owner, (owners.get(owner) ?? new Map()).set(ask, until));
    const [oldest] = owners.keys();
    if (owners.size > MOST_OWNERS && oldest !== undefined) owners.delete(oldest);
  };

  others.hear(({ owner, ask, ms }) => {
    add(owner, ask, clock() + ms);
    // Those of an owner who never asks here are forgotten nowhere else.
    const mine: Open = owners.get(owner) ?? new Map();
    for (const [oldest, until] of mine) {
      if (until === undefined || until > clock()) return;
      mine.delete(oldest);
    }
  });

  return {
    excess: async (site, owner) => {
      const budget = budgetOf(site, owner);
      if (budget === undefined) return undefined;
      await used(owner, budget);
      return excessNow(owner, budget);
    },
    terms: async (site, owner) => {
      const { offers } = site;
      const budget = budgetOf(site, owner);
      if (budget === undefined) return site;
      return {
        ...site,
        offers: {
          ...offers,
          lifetime: lifetimeWith(offers.lifetime, await used(owner, budget), budget),
        },
      };
    },
    take: async (site, owner, ask) => {
      const budget = budgetOf(site, owner);
      if (budget === undefined) return undefined;
      await used(owner, budget);
      // In one turn of the event loop with `add`: others were counted while this one waited.
      const found = excessNow(owner, budget);
      if (found === undefined) add(owner, ask);
      return found;
    },
    keep: (owner, ask, ms) => {
      const mine = owners.get(owner);
      if (mine?.has(ask) !== true) return;
      mine.set(ask, clock() + ms);
      others.tell({ owner, ask, ms });
    },
    settle: (owner, ask) => {
      const mine = owners.get(owner);
      if (mine?.has(ask) === true && mine.get(ask) === undefined) mine.delete(ask);
      if (mine?.size === 0) owners.delete(owner);
    },
  };
}

function budgetOf({ holdBudget }: Pick<Site, 'holdBudget'>, owner: string): number | undefined {
  return holdBudget?.[owner === ANONYMOUS_OWNER ? 'anonymous' : 'named'];
}

function lifetimeWith(lifetime: Seconds, used: number, budget: number): Seconds {
  return seconds(
    Math.min(
      lifetime,
      Math.max(SHORTEST_S, Math.round((lifetime * (1 - used / budget)) / (1 - EASY))),
    ),
  );
}
