/**
 * Resolves when the process is told to end: SIGTERM, SIGINT, or SIGHUP of a closed terminal, unless
 * told which. The listeners stay: Ctrl-C comes twice, from the terminal and from npm, and the
 * second one must not end the process in the middle of an end in order.
 */
export function stopSignal(
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'],
): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, resolve);
  });
}
