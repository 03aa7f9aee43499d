/**
 * Runs at most `most` pieces of work at the same time; the others wait for their turn, in order.
 */
export function limitConcurrency(
  most: number,
): <Value>(what: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let under = 0;
  const leave = (): void => {
    const next = waiting.shift();
    // The turn goes to the next one, so that nobody who comes in between takes it.
    if (next === undefined) under -= 1;
    else next();
  };
  return async (what) => {
    if (under < most) under += 1;
    else {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    try {
      return await what();
    } finally {
      leave();
    }
  };
}
