/** Work of which only so much is under way at a time; the rest waits in the order in which it came. */
export type Lanes = {
  /** @returns undefined when too much waits already, and then nothing is done */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;
};

/**
 * @param width so much at a time
 * @param most so much waits beside it
 */
export const createLanes = (width: number, most: number): Lanes => {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return {
    run: async (work) => {
      if (busy === width && waiting.length === most) return undefined;
      if (busy === width) await new Promise<void>((go) => waiting.push(go));
      else busy += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        // Whoever waited takes this place over.
        if (next === undefined) busy -= 1;
        else next();
      }
    },
  };
};
