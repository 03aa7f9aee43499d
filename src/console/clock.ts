import { signal } from '@preact/signals';

const TICK_MS = 500;

/**
 * Milliseconds of the page's own clock, which no user sets; written twice a second, so that what
 * counts down renders itself and nothing else does.
 */
export const ticks = signal(performance.now());

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
