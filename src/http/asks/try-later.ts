import type { Reason } from '../../planner/reasons.ts';

/**
 * A rule that puts a task off does not say for how long. It mostly waits for other jobs, which
 * do not end within seconds.
 */
const LATER_S = 60;

/**
 * The headers of a NO. All of its reasons count, also those that a long answer leaves out: a later
 * ask may still be a YES.
 *
 * @returns `Retry-After` if a rule said "not ready", else nothing
 */
export function tryLater(
  reasons: readonly Pick<Reason, 'code'>[],
): Readonly<Record<string, string>> {
  return reasons.some(({ code }) => code === 'try-later') ? { 'Retry-After': `${LATER_S}` } : {};
}
