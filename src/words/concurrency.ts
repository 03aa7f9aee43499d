/**
 * Runs at most `most` pieces of work at the same time; the others wait for their turn, in order.
 */
export function limitConcurrency(
  most: number,
): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const leave = (): void => {
    const next = waiting.shift();
    // Hands the turn to the next one, so that a newcomer cannot take it.
    if (next === undefined) running -= 1;
    else next();
  };
  return async (work) => {
    if (running < most) running += 1;
    else {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
