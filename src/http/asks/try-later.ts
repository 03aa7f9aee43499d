/**
 * Rules that put a task off do not say for how long. What they wait for, other jobs
 * mostly, is not over in seconds.
 */
const LATER_S = 60;

/**
 * The headers of a NO with these codes.
 *
 * @returns `Retry-After` where a rule said "not ready", else none
 */
export function tryLater(codes: readonly string[]): Readonly<Record<string, string>> {
  return codes.includes('try-later') ? { 'Retry-After': `${LATER_S}` } : {};
}
