/** Runs at most `most` tasks at once; the others wait for their turn, in order. */
export const limiter = (most: number): (<Value>(task: () => Promise<Value>) => Promise<Value>) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // Whoever waits takes over the place, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
