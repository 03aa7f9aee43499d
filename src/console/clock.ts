import { signal } from '@preact/signals';

const TICK_MS = 500;
/** Less is the time of an answer on its way. */
const LEAST_SKEW_MS = 5000;

/** How much the service's clock is ahead of the page's, milliseconds. */
const ahead = signal(0);

/**
 * Milliseconds of the page's own clock, which no user sets; written twice a second, so that what
 * counts down renders itself and nothing else does.
 */
export const ticks = signal(performance.now());

/** The time by the service's clock, which its times are of: that of the page may be wrong. */
export function serviceNow(): number {
  return Date.now() + ahead.value;
}

/** Learns the service's time from an answer; one that was kept has the time of its making. */
export function learnTime({ headers }: Pick<Response, 'headers'>): void {
  if (headers.get('cache-control')?.includes('no-store') !== true) return;
  const found = Date.parse(headers.get('date') ?? '') - Date.now();
  if (Number.isNaN(found) || Math.abs(found - ahead.peek()) < LEAST_SKEW_MS) return;
  ahead.value = Math.abs(found) < LEAST_SKEW_MS ? 0 : found;
}

/** Starts the clock. */
export function startClock(): void {
  setInterval(() => {
    ticks.value = performance.now();
  }, TICK_MS);
}

/** The tick at which something ends that has this number of seconds left. */
export function endIn(seconds: number): number {
  ticks.value = performance.now();
  return ticks.value + seconds * 1000;
}

/** Seconds until a tick, at least 0. */
export function secondsUntil(end: number): number {
  return Math.max(0, (end - ticks.value) / 1000);
}
