import type { Database } from '../../db/client.ts';
import type { Site } from '../../site/site.ts';
import { shareOf } from '../guard.ts';
import type { Proposal } from '../offer.ts';

/**
 * An upper bound of what each identity has reserved, capacity × time, as one planner knows it. An
 * answer far below the share of everybody is written without a check; otherwise
 * `place_guarded_answers` checks exactly.
 */
export type Work = {
  /** May this answer pass the share? */
  readonly isNear: (
    site: Sharing,
    owner: string,
    proposals: readonly Proposal[],
  ) => Promise<boolean>;
  /**
   * Counts an answer, then writes it.
   * @param write called with whether the answer may pass the share; if so, all answers that were
   * written without a check are in the book by then
   */
  readonly place: <Written>(
    site: Sharing,
    owner: string,
    proposals: readonly Proposal[],
    write: (isNear: boolean) => Promise<Written>,
  ) => Promise<Written>;
};

type Sharing = Pick<Site, 'quotas' | 'shares' | 'offers'>;

/** Work by destination. */
type Sums = Map<string, number>;
type Known = {
  readonly readAt: number;
  /** open answers of this planner, summed by the second (monotonic) at which they expire */
  readonly given: Map<number, Sums>;
  /** jobs and open answers */
  readonly sums: Sums;
};

/** Up to this part of a share the planners of a service check nothing. */
const EASY = 0.5;
/** How late the answers of other planners are known. */
const FRESH_MS = 60_000;
/** How often the database is asked at most when much of a share is used. */
const LEAST_MS = 1000;
/** As in open-answers.ts. */
const MOST_OWNERS = 100_000;

/**
 * @param clock monotonic, milliseconds
 * @param planners of this service, each with its part of what is not checked
 */
export function createWork(database: Database, clock: () => number, planners = 1): Work {
  const easy = EASY / planners;
  const owners = new Map<string, Known>();
  const reading = new Map<string, Promise<Known>>();

  const read = async (owner: string): Promise<Known> => {
    const readAt = clock();
    const jobs = await readJobs(database, owner);
    // Answers that were accepted before the reading are jobs, too: they count twice until they
    // would have expired.
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

  /** One reading at a time: a second one would forget the answers after the first. */
  const readOnce = (owner: string): Promise<Known> => {
    const pending = reading.get(owner) ?? read(owner).finally(() => reading.delete(owner));
    reading.set(owner, pending);
    return pending;
  };

  /** Reads again what is too old for this answer. */
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

  const writing = openWriting();

  return {
    isNear: async (site, owner, proposals) => {
      const share = shareOf(site, owner);
      if (share === undefined) return false;
      const adds = largestWork(proposals);
      await refresh(owner, adds, share * easy);
      return isNearly(owners.get(owner), adds, share * easy);
    },
    place: async (site, owner, proposals, write) => {
      const share = shareOf(site, owner);
      if (share === undefined) return write(false);
      const adds = largestWork(proposals);
      await refresh(owner, adds, share * easy);
      // No await between counting and writing, unless the answer needs a check.
      const known = owners.get(owner);
      const isNear = isNearly(known, adds, share * easy);
      if (known !== undefined) countAnswer(known, clock() + site.offers.lifetime * 1000, adds);
      if (!isNear) return writing.run(owner, write(false));
      await writing.done(owner);
      return write(true);
    },
  };
}

/** Answers that are being written: a check in another transaction would not see them. */
function openWriting() {
  const writing = new Map<string, Set<Promise<unknown>>>();
  return {
    run: async <Written>(owner: string, answer: Promise<Written>): Promise<Written> => {
      const mine = writing.get(owner) ?? new Set();
      writing.set(owner, mine.add(answer));
      try {
        return await answer;
      } finally {
        mine.delete(answer);
        if (mine.size === 0) writing.delete(owner);
      }
    },
    done: (owner: string) => Promise.allSettled(writing.get(owner) ?? []),
  };
}

function isOver({ sums }: Known, adds: ReadonlyMap<string, number>, limit: number): boolean {
  return [...adds].some(([destination, work]) => (sums.get(destination) ?? 0) + work > limit);
}

function isNearly(
  known: Known | undefined,
  adds: ReadonlyMap<string, number>,
  limit: number,
): boolean {
  return known === undefined || isOver(known, adds, limit);
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
