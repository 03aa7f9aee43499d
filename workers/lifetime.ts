/**
 * Ends a worker in order: on SIGTERM or SIGINT, and when the parent process is gone (its end of the IPC channel closes
 * even after `kill -9`), so that no worker outlives its service.
 */
export const endWithParent = (close: () => Promise<void>): void => {
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    close().then(() => process.exit(0), () => process.exit(1));
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  if (process.connected) process.on('disconnect', end);
};
