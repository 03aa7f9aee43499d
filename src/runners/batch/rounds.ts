/** Repeated work, one round at a time. */
type Rounds = {
  /** Resolves after a round that began after this call; waiting calls share it. */
  readonly next: () => Promise<void>;
  /** Lets the next round come soon. */
  readonly hurry: () => void;
  readonly close: () => Promise<void>;
};

const SHORTEST_MS = 500;
const LONGEST_MS = 5000;
/** A slow controller is asked less often: our questions take at most this share of its time. */
const SHARE = 0.1;

/**
 * Starts rounds: half a second apart when something happens, with pauses that grow up to 5 s when
 * nothing does. The timer keeps no process alive.
 *
 * @param round never rejects.
 * @returns whether something happened
 * @param isIdle no rounds are needed at all
 */
export function startRounds(round: () => Promise<boolean>, isIdle: () => boolean): Rounds {
  let interval = SHORTEST_MS;
  let current: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const arm = (milliseconds: number): void => {
    clearTimeout(timer);
    if (isClosed || isIdle()) return;
    timer = setTimeout(() => void another(), milliseconds).unref();
  };

  const run = async (): Promise<void> => {
    const begun = performance.now();
    const happened = await round();
    interval = happened ? SHORTEST_MS : Math.min(LONGEST_MS, interval * 1.3);
    current = undefined;
    arm(Math.min(LONGEST_MS, Math.max(interval, (performance.now() - begun) / SHARE)));
  };

  const another = (): Promise<void> => {
    if (current === undefined) {
      current = run();
      return current;
    }
    following ??= current.then(() => {
      following = undefined;
      return another();
    });
    return following;
  };

  return {
    next: another,
    hurry: () => {
      interval = SHORTEST_MS;
      if (current === undefined) arm(interval);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await current;
    },
  };
}
