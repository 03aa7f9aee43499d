import { effect } from '@preact/signals';
import { isLive, onChange } from '../live/changes.ts';

/** Rings when a job may have changed. */
export type Bell = {
  /** forgets that it rang */
  readonly quiet: () => void;
  /**
   * Resolves when it rings, at once where it did.
   *
   * @param isQueued other jobs change this one's place in the queue
   */
  readonly rings: (isQueued: boolean) => Promise<void>;
  readonly close: () => void;
};

/** The book of a busy site changes all the time. */
const QUEUE_MS = 5000;

/** Listens for changes of a job; it also rings when changes are no longer told, and at its end. */
export function openBell(ident: string): Bell {
  let hasRung = false;
  let isBookChanged = false;
  let isWaitingForBook = false;
  let wake = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ring = (): void => {
    hasRung = true;
    clearTimeout(timer);
    timer = undefined;
    wake();
  };
  const ringLater = (): void => {
    isBookChanged = true;
    if (isWaitingForBook) timer ??= setTimeout(ring, QUEUE_MS);
  };
  const stop = onChange((change) => {
    if (change.kind === 'start' || (change.kind === 'job' && change.id === ident)) ring();
    else if (change.kind === 'book') ringLater();
  });
  const unwatch = effect(() => {
    if (!isLive.value) ring();
  });
  return {
    quiet: () => {
      hasRung = false;
      isBookChanged = false;
    },
    rings: async (isQueued) => {
      if (hasRung) return;
      isWaitingForBook = isQueued;
      if (isQueued && isBookChanged) ringLater();
      await new Promise<void>((done) => {
        wake = done;
      });
      isWaitingForBook = false;
    },
    close: () => {
      stop();
      unwatch();
      ring();
    },
  };
}
