import { leastFree } from '../../schedule/profile.ts';
import type { Instant } from '../../schedule/interval.ts';
import type { DestinationAtTime } from './fit.ts';
import type { Proposal } from '../offer.ts';
import { spanOf } from './windows.ts';

/** What was free of a destination during its first offer, without that offer; millicores and MiB. */
export type RoomAtDestination = {
  readonly destination: string;
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  readonly gpus: Readonly<Record<string, number>>;
  /** of the room for results, if the planner read it */
  readonly results?: number;
};

/** What the planner knew of the book when it made the offers: sums, no owners. */
export type BookSummary = {
  readonly now: Instant;
  /** destinations whose reservations were read */
  readonly read: readonly RoomAtDestination[];
  /** destinations that were known to have room, so that their reservations were not read */
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

/** @param isRead did the planner read the reservations of a destination? */
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
