/** They end a program at a terminal. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Resolves on SIGTERM, SIGINT, or SIGHUP of a closed terminal, or on the given signals. The
 * listeners stay: Ctrl-C comes twice, from the terminal and from npm, and the second one must not
 * interrupt the shutdown.
 */
export function stopSignal(
  signals: readonly NodeJS.Signals[] = STOP_SIGNALS,
): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, resolve);
  });
}

/** Ctrl-C's two signals come sooner after each other. */
const PAIR_MS = 1000;

/**
 * Ends the process when somebody asks again for the end of a start, which may hang. What it had
 * started ends with it, but for the embedded database, which the next start adopts.
 *
 * @returns a function that says that the start is over
 */
export function endAtSecond(signals: readonly NodeJS.Signals[]): () => void {
  let first: number | undefined;
  const asked = (signal: NodeJS.Signals): void => {
    first ??= performance.now();
    if (performance.now() - first < PAIR_MS) return;
    console.error(`${signal} came again before the start was over: the start is broken off`);
    process.exit(1);
  };
  for (const signal of signals) process.on(signal, asked);
  return () => {
    for (const signal of signals) process.off(signal, asked);
  };
}
