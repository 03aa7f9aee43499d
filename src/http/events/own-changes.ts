import type { Database } from '../../db/client.ts';
import {
  readBookMark,
  readJobStandings,
  readOfferStates,
  readOpenOffers,
  type JobStanding,
  type OpenOffer,
} from '../../uws/store/own-changes.ts';
import { JOB_STATES, phaseOf } from '../../uws/phases.ts';
import type { Waiters } from '../../uws/live/waiters.ts';
import { openEventLog, type ToldEvent } from './event-log.ts';
import { openRounds } from './rounds.ts';

/** A client that is told of changes. */
export type ChangeReader = {
  readonly tell: (event: ToldEvent) => void;
  readonly tellBook: (number: number, id: string) => void;
  /** changes were missed: the client has to read all again */
  readonly tellStart: (id: string) => void;
};

/** Where a client stands when it begins to listen. */
type Standing = {
  readonly id: string;
  /** what it missed since its Last-Event-ID; undefined: it has to read all */
  readonly missed: readonly ToldEvent[] | undefined;
  readonly book: number;
};

/** The changes of the offers and jobs of those who listen. */
export type OwnChanges = {
  /** Begins to tell; everything that changes after the answer is told. */
  readonly open: (
    owner: string,
    last: string | undefined,
    reader: ChangeReader,
  ) => Promise<Standing>;
  readonly close: (owner: string, reader: ChangeReader) => void;
};

/** For a client that reconnects; more changes are not worth telling one by one. */
const MOST_EVENTS = 1000;
/** How long the events of an owner without a client are kept. */
const KEEP_MS = 120_000;
/** Above it the changes are not read one by one. */
const MOST_HEARD = 10_000;

/** An owner to whom somebody listens, or did until a moment ago. */
type Watch = {
  readonly readers: Set<ChangeReader>;
  leftAt: number;
  /** of the latest round; undefined before the first */
  offers: ReadonlyMap<string, OpenOffer> | undefined;
};

/**
 * Jobs tell of their changes by NOTIFY. Offers do not, since each ask would have to take PostgreSQL's
 * one lock of all notifications; so the open ones of those who listen are read every two seconds
 * and compared. One statement reads for all owners, however many listen.
 *
 * @param clock monotonic, milliseconds
 */
export function openOwnChanges(
  database: Database,
  waiters: Pick<Waiters, 'hear'>,
  clock: () => number,
): OwnChanges {
  const log = openEventLog(MOST_EVENTS);
  const watches = new Map<string, Watch>();
  let heard = new Set<string>();
  let mark = '';
  let book = 0;

  const readersOf = (): readonly ChangeReader[] =>
    [...watches.values()].flatMap(({ readers }) => [...readers]);
  const tell = (owner: string, event: ToldEvent['event'], data: object): void => {
    const told = log.add(owner, event, data);
    watches.get(owner)?.readers.forEach((reader) => reader.tell(told));
  };
  const restart = (): void => {
    log.restart();
    for (const reader of readersOf()) reader.tellStart(log.last());
  };
  const forgetLeft = (): void => {
    for (const [owner, { readers, leftAt }] of watches)
      if (readers.size === 0 && clock() - leftAt > KEEP_MS) {
        watches.delete(owner);
        log.forget(owner);
      }
  };

  const tellOffers = async (owners: readonly string[]): Promise<void> => {
    const open = Map.groupBy(await readOpenOffers(database, owners), ({ owner }) => owner);
    const compared = owners.flatMap((owner) => {
      const watch = watches.get(owner);
      const before = watch?.offers;
      const now = new Map((open.get(owner) ?? []).map((offer) => [offer.id, offer]));
      if (watch !== undefined) watch.offers = now;
      if (before === undefined) return [];
      const gone = [...before.values()].filter(({ id }) => !now.has(id));
      return [{ owner, gone, made: [...now.values()].filter(({ id }) => !before.has(id)) }];
    });
    const gone = compared.flatMap((one) => one.gone.map(({ id }) => id));
    const states = gone.length === 0 ? new Map() : await readOfferStates(database, gone);
    for (const { owner, gone: ended, made } of compared) {
      for (const { id, ask } of made) tell(owner, 'offer', { id, ask, state: 'OFFERED' });
      // An offer whose record was removed had expired long before.
      for (const { id, ask } of ended)
        tell(owner, 'offer', { id, ask, state: states.get(id) ?? 'EXPIRED' });
    }
  };

  const tellBook = (now: string, changes: number): void => {
    if (now === mark && changes === 0) return;
    mark = now;
    book += 1;
    for (const reader of readersOf()) reader.tellBook(book, log.last());
  };

  const tellAll = async (owners: readonly string[], changed: ReadonlySet<string>) => {
    const [jobs, now] = await Promise.all([
      changed.size === 0 ? [] : readJobStandings(database, [...changed], owners),
      readBookMark(database),
    ]);
    for (const job of jobs) {
      const data = jobData(job);
      // The change before may have been read late enough to tell of this one, too.
      if (!log.hasSaid(job.owner, 'job', job.id, data)) tell(job.owner, 'job', data);
    }
    await tellOffers(owners);
    tellBook(now, changed.size);
  };

  const rounds = openRounds(async () => {
    forgetLeft();
    const changed = heard;
    heard = new Set();
    const owners = [...watches.keys()];
    if (owners.length === 0) return false;
    try {
      await tellAll(owners, changed);
    } catch (error) {
      // Told twice rather than never.
      for (const session of changed) heard.add(session);
      throw error;
    }
    return true;
  });

  waiters.hear({
    onChange: (session) => {
      if (watches.size === 0) return;
      heard.add(session);
      if (heard.size <= MOST_HEARD) return rounds.soon();
      heard = new Set();
      restart();
    },
    onConnected: restart,
  });

  return {
    open: async (owner, last, reader) => {
      const watch = watches.get(owner) ?? {
        readers: new Set(),
        leftAt: clock(),
        offers: undefined,
      };
      watches.set(owner, watch);
      log.begin(owner);
      // What changes after this round is told; what changed before it, the client reads.
      if (watch.offers === undefined) await rounds.next();
      watch.readers.add(reader);
      watches.set(owner, watch);
      log.begin(owner);
      const missed = last === undefined ? undefined : log.after(owner, last);
      return { id: log.last(), missed, book };
    },
    close: (owner, reader) => {
      const watch = watches.get(owner);
      watch?.readers.delete(reader);
      if (watch !== undefined) watch.leftAt = clock();
    },
  };
}

function jobData({ id, state, startMode, isArchived: archived }: JobStanding): object {
  const known = JOB_STATES.find((one) => one === state);
  const start = startMode === 'CLIENT' ? 'CLIENT' : 'AUTO';
  return {
    id,
    state,
    ...(known !== undefined && { phase: phaseOf({ state: known, startMode: start, archived }) }),
  };
}
