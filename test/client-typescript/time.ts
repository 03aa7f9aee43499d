import { jest } from '@jest/globals';

/** Stops the clocks of the code under test, and not what runs beside them. */
export function stopClock(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** The milliseconds until something is settled; the clock goes on in steps of ten. */
export async function timeOf(promise: Promise<unknown>): Promise<number> {
  const settled = { now: false };
  const end = (): void => void (settled.now = true);
  promise.then(end, end);
  for (let ms = 0; ; ms += 10) {
    await settle();
    if (settled.now) return ms;
    await jest.advanceTimersByTimeAsync(10);
  }
}
