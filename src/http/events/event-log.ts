import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** What clients are told of. */
export type ToldEvent = {
  /** for Last-Event-ID */
  readonly id: string;
  readonly event: 'offer' | 'job';
  readonly data: object;
};

type Numbered = ToldEvent & { readonly number: number };
/** `floor`: up to this number nothing can be told again. */
type Kept = { floor: number; readonly events: Numbered[] };

/**
 * Keeps the latest events of each owner, so that a client that lost its connection gets those that
 * it missed. The ids are of this log: another process, or this one after `restart`, knows none of
 * them.
 *
 * @param most events of one owner
 */
export function openEventLog(most: number) {
  const owners = new Map<string, Kept>();
  let series = newSeries();
  let number = 0;
  const idOf = (at: number): string => `${series}-${at}`;

  return {
    /** The id of the latest event of anybody: a client that knows it has missed nothing. */
    last: (): string => idOf(number),
    /** Begins to keep the events of an owner. */
    begin: (owner: string): void => {
      if (!owners.has(owner)) owners.set(owner, { floor: number, events: [] });
    },
    /** @throws Error for an owner whose events are not kept, which is a defect */
    add: (owner: string, event: ToldEvent['event'], data: object): ToldEvent => {
      const kept = owners.get(owner);
      if (kept === undefined) throw new Error('nobody keeps the events of this owner');
      number += 1;
      const added = { number, id: idOf(number), event, data };
      kept.events.push(added);
      if (kept.events.length > most) kept.floor = kept.events.shift()?.number ?? kept.floor;
      return added;
    },
    /** Whether the latest kept event of this name about a thing said the same. */
    hasSaid: (owner: string, event: ToldEvent['event'], id: string, data: object): boolean => {
      const latest = owners
        .get(owner)
        ?.events.findLast((one) => one.event === event && Object(one.data).id === id);
      return isDeepStrictEqual(latest?.data, data);
    },
    /** The events of an owner after this one; undefined where some of them may be lost. */
    after: (owner: string, id: string): readonly ToldEvent[] | undefined => {
      const kept = owners.get(owner);
      const [, at] = id.startsWith(`${series}-`) ? (/-(\d{1,15})$/.exec(id) ?? []) : [];
      if (kept === undefined || at === undefined || Number(at) < kept.floor) return undefined;
      return kept.events.filter((one) => one.number > Number(at));
    },
    forget: (owner: string): void => void owners.delete(owner),
    /** Makes all ids unknown, because changes were missed. */
    restart: (): void => {
      series = newSeries();
      for (const kept of owners.values()) {
        kept.floor = number;
        kept.events.length = 0;
      }
    },
  };
}

function newSeries(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}
