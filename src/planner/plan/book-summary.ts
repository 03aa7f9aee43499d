import { leastFree } from '../../schedule/profile.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { DestinationAtTime } from './fit.ts';
import type { Proposal } from '../offer.ts';
import { spanOf } from './windows.ts';

/**
 * What was free of a destination through the whole of its first offer, that one not
 * counted; in millicores and MiB.
 */
export type RoomAtDestination = {
  readonly destination: string;
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  readonly gpus: Readonly<Record<string, number>>;
  /** of the room for results; absent where nobody looked */
  readonly results?: number;
};

/**
 * What the planner knew of the book when it made the offers; sums, and nothing of whose they are.
 */
export type BookSummary = {
  readonly now: Instant;
  /** destinations whose reservations were read */
  readonly read: readonly RoomAtDestination[];
  /** those that were known to have room whatever is reserved, so that nothing was read */
  readonly roomy: readonly string[];
};

export function roomAt(place: DestinationAtTime, first: Proposal): RoomAtDestination {
  const { free } = place;
  const { cores, memory, scratch, gpus } = leastFree(free, spanOf(first));
  return {
    destination: first.destination,
    cores,
    memory,
    scratch,
    gpus: Object.fromEntries(gpus),
    ...resultsAt(place),
  };
}

/** @param isRead were the destination's reservations read? */
export function summaryOf(
  now: Instant,
  rooms: readonly RoomAtDestination[],
  isRead: (destination: string) => boolean,
): BookSummary {
  return {
    now,
    read: rooms.filter(({ destination }) => isRead(destination)),
    roomy: rooms
      .filter(({ destination }) => !isRead(destination))
      .map(({ destination }) => destination),
  };
}

function resultsAt({
  results,
  suitable: { destination },
}: DestinationAtTime): Pick<RoomAtDestination, 'results'> {
  return results === undefined || destination.results === undefined
    ? {}
    : { results: Math.max(0, destination.results.size - results.held - results.kept) };
}
