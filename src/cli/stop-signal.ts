/**
 * Resolves on SIGTERM, SIGINT, or SIGHUP of a closed terminal, or on the given signals. The
 * listeners stay: Ctrl-C comes twice, from the terminal and from npm, and the second one must not
 * interrupt the shutdown.
 */
export function stopSignal(
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'],
): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, resolve);
  });
}
