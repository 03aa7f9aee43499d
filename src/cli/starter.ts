/** How often it is looked whether whoever started us is there. */
const LOOK_MS = 1000;

/**
 * Resolves when the process between us and whoever started the service is gone: npm, or
 * planner.mjs for another Node. Killed without a chance to pass the signal on, it would leave a
 * service that nobody knows the pid of.
 */
export function starterGone(environment: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve) => {
    if (
      environment['npm_lifecycle_event'] === undefined &&
      environment['PLANNER_STARTER'] === undefined
    )
      return;
    const starter = process.ppid;
    setInterval(() => {
      if (process.ppid !== starter) resolve();
    }, LOOK_MS).unref();
  });
}
