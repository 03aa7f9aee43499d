import { queryFast, type Database } from '../../db/client.ts';
import { ANONYMOUS_OWNER } from '../../identity/principal.ts';
import type { Site } from '../../site/site.ts';
import type { AskId } from '../../words/ids.ts';
import { seconds, type Seconds } from '../../words/units.ts';
import type { Excess } from '../guard.ts';

/**
 * The answers of each identity whose offers can still be accepted, of those that this planner gave.
 * Where the site has no budget for them (`holdBudget`), nothing is counted.
 */
export type OpenAnswers = {
  /**
   * The site's terms for this owner: the more of the budget is used, the sooner an offer expires.
   */
  readonly terms: (site: Site, owner: string) => Promise<Site>;
  /** What one more would exceed. */
  readonly excess: (site: Site, owner: string) => Promise<Excess | undefined>;
  /**
   * Counts one that is about to be written.
   * @returns what it would exceed, and it is not counted
   */
  readonly take: (site: Site, owner: string, ask: AskId) => Promise<Excess | undefined>;
  /** It was written, and is open for no more than so many milliseconds. */
  readonly keep: (owner: string, ask: AskId, ms: number) => void;
  /** It was written or not; one that was not is counted no longer. */
  readonly settle: (owner: string, ask: AskId) => void;
};

/**
 * Up to this share of a budget offers live as long as ever, and it does not matter
 * which were accepted meanwhile.
 */
const EASY = 0.5;
/** No offer expires sooner for this, unless the site has it so. */
const SHORTEST_S = 30;
/**
 * More identities than this ask of no site at a time; the one that began first
 * is forgotten, and begins anew.
 */
const MOST_OWNERS = 100_000;

/** Until when each answer is open at most; undefined while it is being written. */
type Open = Map<AskId, number | undefined>;

/**
 * Kept by each planner for itself: counting in the database would cost every ask a round trip, and
 * make everybody without a credential wait for one lock. The database is asked only where half of a
 * budget is used, for which of these are open still, whoever accepted or rejected them at whatever
 * planner. Sites that must count exactly have quotas (docs/guides/quotas.md).
 *
 * @param clock monotonic, milliseconds
 */
export function createOpenAnswers(database: Database, clock: () => number): OpenAnswers {
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

  const excess = async (site: Site, owner: string): Promise<Excess | undefined> => {
    const budget = budgetOf(site, owner);
    const count = budget === undefined ? 0 : await used(owner, budget);
    return budget === undefined || count < budget
      ? undefined
      : { scope: owner, what: 'holds', used: count, asked: 1, limit: budget };
  };

  const add = (owner: string, ask: AskId): void => {
    owners.set(owner, (owners.get(owner) ?? new Map()).set(ask, undefined));
    const [oldest] = owners.keys();
    if (owners.size > MOST_OWNERS && oldest !== undefined) owners.delete(oldest);
  };

  return {
    excess,
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
      const found = await excess(site, owner);
      if (found === undefined && site.holdBudget !== undefined) add(owner, ask);
      return found;
    },
    keep: (owner, ask, ms) => {
      const mine = owners.get(owner);
      if (mine?.has(ask) === true) mine.set(ask, clock() + ms);
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
