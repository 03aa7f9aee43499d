/** How often to check for our parent process. */
const LOOK_MS = 1000;

/**
 * Resolves when our parent process is gone: npm, or planner.mjs with another Node. If it is killed,
 * it cannot pass the signal on, and the service would go on with a pid that nobody knows.
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
