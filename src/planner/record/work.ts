import type { Database } from '../../db/client.ts';
import type { Site } from '../../site/site.ts';
import { shareOf } from '../guard.ts';
import type { Proposal } from '../offer.ts';

/**
 * What each identity has reserved, capacity × time, as far as one planner knows: no less than it
 * is. Where it is far from the share of everybody an answer is written without looking; else
 * `place_guarded_answers` decides, exactly.
 */
export type Work = {
  /** May this answer pass the share? */
  readonly isNear: (
    site: Sharing,
    owner: string,
    proposals: readonly Proposal[],
  ) => Promise<boolean>;
  /**
   * Counts an answer, and has it written.
   * @param write told whether it may pass the share; what was written before
   * without a look is there by then
   */
  readonly place: <Written>(
    site: Sharing,
    owner: string,
    proposals: readonly Proposal[],
    write: (near: boolean) => Promise<Written>,
  ) => Promise<Written>;
};

type Sharing = Pick<Site, 'quotas' | 'shares' | 'offers'>;

/** What answers would take, by destination. */
type Sums = Map<string, number>;
type Known = {
  readonly readAt: number;
  /**
   * answers of this planner, together by the second (of the monotonic
   * clock) until which they are open
   */
  readonly given: Map<number, Sums>;
  /** jobs and what was given */
  readonly sums: Sums;
};

/** Up to this part of a share nobody looks. */
const EASY = 0.5;
/** What other planners gave is known so late, and so often is looked where much is used. */
const FRESH_MS = 60_000;
const LEAST_MS = 1000;
/** As with open answers (open-answers.ts). */
const MOST_OWNERS = 100_000;

/** @param clock monotonic, milliseconds */
export function createWork(database: Database, clock: () => number): Work {
  const owners = new Map<string, Known>();
  const reading = new Map<string, Promise<Known>>();

  const read = async (owner: string): Promise<Known> => {
    const readAt = clock();
    const jobs = await readJobs(database, owner);
    // What was accepted before the reading is among the jobs, and counted twice
    // until it would have expired.
    const given = new Map(
      [...(owners.get(owner)?.given ?? [])].filter(([second]) => second * 1000 > readAt),
    );
    const known: Known = { readAt, given, sums: new Map(jobs) };
    for (const of of given.values()) addAll(known.sums, of);
    owners.delete(owner);
    owners.set(owner, known);
    const [oldest] = owners.keys();
    if (owners.size > MOST_OWNERS && oldest !== undefined) owners.delete(oldest);
    return known;
  };

  /**
   * One reading for all who want it at a time: of two, the second would forget
   * what was given after the first.
   */
  const readOnce = (owner: string): Promise<Known> => {
    const under = reading.get(owner) ?? read(owner).finally(() => reading.delete(owner));
    reading.set(owner, under);
    return under;
  };

  const isOver = ({ sums }: Known, adds: ReadonlyMap<string, number>, limit: number): boolean =>
    [...adds].some(([destination, work]) => (sums.get(destination) ?? 0) + work > limit);

  const isNearly = (
    known: Known | undefined,
    adds: ReadonlyMap<string, number>,
    share: number,
  ): boolean => known === undefined || isOver(known, adds, share * EASY);

  /** Sees to it that what is remembered is young enough for this answer. */
  const refresh = async (
    owner: string,
    adds: ReadonlyMap<string, number>,
    easy: number,
  ): Promise<void> => {
    const isOld = (most: number): boolean =>
      clock() - (owners.get(owner)?.readAt ?? -Infinity) >= most;
    const remembered = isOld(FRESH_MS) ? await readOnce(owner) : owners.get(owner);
    if (remembered !== undefined && isOver(remembered, adds, easy) && isOld(LEAST_MS))
      await readOnce(owner);
  };

  /** Another batch may be under way beside the one that a look is in, which would not see it. */
  const writing = new Map<string, Set<Promise<unknown>>>();
  const written = async <Written>(owner: string, under: Promise<Written>): Promise<Written> => {
    const mine = writing.get(owner) ?? new Set();
    writing.set(owner, mine.add(under));
    try {
      return await under;
    } finally {
      mine.delete(under);
      if (mine.size === 0) writing.delete(owner);
    }
  };

  return {
    isNear: async (site, owner, proposals) => {
      const share = shareOf(site, owner);
      if (share === undefined) return false;
      const adds = largestWork(proposals);
      await refresh(owner, adds, share * EASY);
      return isNearly(owners.get(owner), adds, share);
    },
    place: async (site, owner, proposals, write) => {
      const share = shareOf(site, owner);
      if (share === undefined) return write(false);
      const adds = largestWork(proposals);
      await refresh(owner, adds, share * EASY);
      // Until the answer is being written nothing is awaited, unless it needs a look.
      const known = owners.get(owner);
      const near = isNearly(known, adds, share);
      if (known !== undefined) countAnswer(known, clock() + site.offers.lifetime * 1000, adds);
      if (!near) return written(owner, write(false));
      await Promise.allSettled(writing.get(owner) ?? []);
      return write(true);
    },
  };
}

async function readJobs(database: Database, owner: string): Promise<ReadonlyMap<string, number>> {
  const rows = await database.$queryRaw<
    { destination: string; work: number }[]
  >`SELECT destination, work FROM work_of_jobs(${owner})`;
  return new Map(rows.map(({ destination, work }) => [destination, work]));
}

function addAll(sums: Sums, of: ReadonlyMap<string, number>): void {
  for (const [destination, work] of of) sums.set(destination, (sums.get(destination) ?? 0) + work);
}

function largestWork(proposals: readonly Proposal[]): ReadonlyMap<string, number> {
  const of = new Map<string, number>();
  for (const { destination, work = 0 } of proposals)
    of.set(destination, Math.max(of.get(destination) ?? 0, work));
  return of;
}

function countAnswer({ given, sums }: Known, until: number, of: ReadonlyMap<string, number>): void {
  const second = Math.ceil(until / 1000);
  const there: Sums = given.get(second) ?? new Map();
  given.set(second, there);
  addAll(there, of);
  addAll(sums, of);
}
