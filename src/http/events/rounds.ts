/** How often to look without a reason. */
const EVERY_MS = 2000;
/** Changes that come together are looked at together. */
const SOON_MS = 100;

/**
 * Looks again and again, one round at a time.
 *
 * @param look says whether there is a reason to go on
 */
export function openRounds(look: () => Promise<boolean>) {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let isRunning = false;
  let isHurried = false;
  let waiting: PromiseWithResolvers<void>[] = [];

  const schedule = (ms: number): void => {
    const at = performance.now() + ms;
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void run(), ms).unref();
  };
  const run = async (): Promise<void> => {
    const served = waiting;
    waiting = [];
    dueAt = Infinity;
    isRunning = true;
    isHurried = false;
    let goesOn = true;
    try {
      goesOn = await look();
      for (const { resolve } of served) resolve();
    } catch (error) {
      // The next round finds what this one did not read.
      for (const { reject } of served) reject(error);
    }
    isRunning = false;
    if (isHurried || waiting.length > 0) schedule(waiting.length > 0 ? 0 : SOON_MS);
    else if (goesOn) schedule(EVERY_MS);
  };
  const hurry = (ms: number): void => {
    isHurried = true;
    if (!isRunning) schedule(ms);
  };

  return {
    /** There is something to see. */
    soon: (): void => hurry(SOON_MS),
    /** @returns after a round that begins now or later; @throws what its look throws */
    next: (): Promise<void> => {
      const one = Promise.withResolvers<void>();
      waiting.push(one);
      hurry(0);
      return one.promise;
    },
  };
}
