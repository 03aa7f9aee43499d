import { setTimeout } from 'node:timers';
import { startPlanner } from '../src/main.ts';
import { readSettings } from '../src/settings.ts';
import { openLine } from '../src/tree/line.ts';
import { CannotStart } from '../src/words/cannot-start.ts';

/**
 * One of several planners of a service. It ends with the service: at once when that was killed.
 */

/** The longest drain; the service waits a little longer. */
const END_LIMIT_MS = 14_000;

// Ctrl-C and the end of a terminal reach every process of the group; the service drains in order.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit(1));
// A supervisor may signal the whole group, and the service signals again: that must not cut the drain.
const ended = new Promise<void>((resolve) => process.on('SIGTERM', () => resolve()));

const reading = readSettings(process.env);
if (!reading.ok) throw new Error(reading.problems.join('\n'));
const { settings } = reading;
const line = openLine(Number(process.env['PLANNER_NUMBER']), settings.planners, {
  send: (message) => void process.send?.(message, () => undefined),
  receive: (listener) => void process.on('message', listener),
});
try {
  const planner = await startPlanner(settings, process.env, line);
  line.onReload(planner.reload);
  line.send({ kind: 'ready', url: planner.url, site: planner.site, warning: planner.warning });
  await ended;
  setTimeout(() => process.exit(1), END_LIMIT_MS).unref();
  await planner.stop();
  process.exit(0);
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  process.send?.({ kind: 'refused', message: error.message }, () => process.exit(1));
}
