import type { Live, OutlookReading } from '../schedule/book.ts';
import type { Instant } from '../schedule/interval.ts';
import type { Suitable } from './candidate.ts';

/**
 * What a planner remembers of the book between two readings, so that most asks need none: the database's clock, and for
 * each destination no less than what was reserved there. It may be out of date; `place_answers` decides, and tells.
 */
export type Outlook = {
  /** what the database's clock shows, undefined before the first reading */
  readonly now: () => Instant | undefined;
  readonly learn: (reading: OutlookReading) => void;
  /** Is there room for all that could be promised, at any time, whatever is reserved? */
  readonly isRoomy: (suitable: Suitable) => boolean;
};

/** So long is the clock believed: two quartz clocks part by less than a millisecond in it. */
const CLOCK_BELIEVED_MS = 10_000;

const hasRoom = ({ destination: { capacity, maintenance }, sizes, growth }: Suitable, live: Live): boolean => {
  const most = (of: (size: Suitable['sizes'][0]) => number): number => Math.max(...sizes.map(of));
  return sizes.every(({ gpus }) => gpus === undefined) && maintenance.every(({ takes }) => takes === 'all')
    && live.cores + Math.max(most(({ cores }) => cores.max), growth.cores) <= capacity.cores
    && live.memory + Math.max(most(({ memory }) => memory.max), growth.memory) <= capacity.memory
    && live.scratch + most(({ scratch }) => scratch) <= capacity.scratch;
};

/** @param clock monotonic, milliseconds */
export const createOutlook = (clock: () => number): Outlook => {
  const live = new Map<string, Live>();
  let known: { readonly at: number; readonly now: Instant } | undefined;
  return {
    now: () => {
      if (known === undefined) return undefined;
      const passed = clock() - known.at;
      return passed > CLOCK_BELIEVED_MS ? undefined : Math.floor(known.now + passed);
    },
    learn: (reading) => {
      known = { at: clock(), now: reading.now };
      for (const [id, one] of reading.live) live.set(id, one);
    },
    isRoomy: (suitable) => {
      const one = live.get(suitable.id);
      return one !== undefined && hasRoom(suitable, one);
    },
  };
};
