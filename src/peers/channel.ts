/** What the planners of one service tell each other about one thing. */
export type Channel<Item> = {
  /** Tells the others, a moment later. */
  readonly tell: (item: Item) => void;
  /** Hears what the others tell, from now on. */
  readonly hear: (listener: (item: Item) => void) => void;
};

/**
 * Waits until this planner may do what only one of a service does at a time, but not for one that
 * takes long.
 *
 * @returns to be called when it is done
 */
export type TakeTurn = () => Promise<() => void>;

/** The planners of one service, as one of them sees them. */
export type Peers = {
  /** of this planner, from 1; undefined: the service has no other */
  readonly number: number | undefined;
  /** with this one */
  readonly count: number;
  readonly channel: <Item>(topic: string) => Channel<Item>;
  /** undefined: nobody else does it */
  readonly turns: (topic: string) => TakeTurn | undefined;
};

/** The channel of a planner that has no others. */
export function toNobody<Item>(): Channel<Item> {
  return { tell: () => undefined, hear: () => undefined };
}

export const NO_PEERS: Peers = {
  number: undefined,
  count: 1,
  channel: toNobody,
  turns: () => undefined,
};
