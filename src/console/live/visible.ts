import { signal } from '@preact/signals';

/**
 * Does anybody see the page? Hidden tabs close their streams: browsers have six connections to a
 * host over HTTP/1.1, for all tabs together.
 */
export const isSeen = signal(document.visibilityState === 'visible');

document.addEventListener('visibilitychange', () => {
  isSeen.value = document.visibilityState === 'visible';
});
