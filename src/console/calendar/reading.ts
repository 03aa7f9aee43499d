import { signal } from '@preact/signals';
import { api, outcomeOf } from '../api.ts';
import { serviceNow } from '../clock.ts';
import { site } from '../site-of.ts';
import type { Trouble } from '../client.ts';
import { bookOf, type Book } from './book.ts';
import { spanOf, type Horizon } from './range.ts';
import type { View } from './picture/view.ts';

/** What the screen has of the calendar. */
export type Reading =
  | { readonly kind: 'reading' }
  | { readonly kind: 'read'; readonly book: Book }
  /** with the book of an earlier reading */
  | { readonly kind: 'failed'; readonly trouble: Trouble; readonly book: Book | undefined };

type Wanted = Pick<View, 'from' | 'days' | 'destination'>;

const EVERY_MS = 60_000;
const UNCHANGED = 304;

/** The calendar as it was read last. */
export const reading = signal<Reading>({ kind: 'reading' });
/** The destination of the book that is shown; undefined: all. */
let shownOf: string | undefined;

/** The book that is shown; undefined before the first answer. */
export function bookIn(now: Reading): Book | undefined {
  return now.kind === 'reading' ? undefined : now.book;
}

/** The service's clock and how far its book goes. */
export function horizonNow(): Horizon {
  return { now: serviceNow(), ahead: site.value.horizon * 1000 };
}

/**
 * Reads the calendar now, and every minute while the page is visible.
 *
 * @returns how to read it at once, and how to stop
 */
export function follow(wanted: Wanted): { readonly again: () => void; readonly stop: () => void } {
  // One destination is in the book of all, but not the other way round.
  if (shownOf !== undefined && shownOf !== wanted.destination) reading.value = { kind: 'reading' };
  shownOf = wanted.destination;
  let tag: string | null = null;
  let last = 0;
  let isStopped = false;
  const read = async (): Promise<void> => {
    last = Date.now();
    const outcome = await request(wanted, tag);
    if (isStopped) return;
    if (outcome.ok) {
      tag = outcome.response.headers.get('etag');
      const { calendar } = outcome.data;
      reading.value = { kind: 'read', book: bookOf(calendar, horizonNow().now) };
    } else reading.value = afterTrouble(reading.value, outcome.trouble);
  };
  const stop = whileSeen(() => Date.now() - last >= EVERY_MS && void read());
  void read();
  return {
    again: () => void read(),
    stop: () => {
      isStopped = true;
      stop();
    },
  };
}

function whileSeen(act: () => void): () => void {
  const actIfSeen = (): void => {
    if (document.visibilityState === 'visible') act();
  };
  const timer = setInterval(actIfSeen, EVERY_MS / 6);
  document.addEventListener('visibilitychange', actIfSeen);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', actIfSeen);
  };
}

function request({ destination, ...part }: Wanted, tag: string | null) {
  const { now } = horizonNow();
  const { from, to } = spanOf(part, horizonNow());
  return outcomeOf(
    api.GET('/calendar', {
      params: {
        query: {
          // Without it, the book begins with the service's own minute.
          ...(from > now && { from: new Date(from).toISOString() }),
          to: new Date(to).toISOString(),
          mine: true,
          ...(destination !== undefined && { destination: [destination] }),
        },
      },
      headers: tag === null ? {} : { 'If-None-Match': tag },
    }),
  );
}

function afterTrouble(before: Reading, trouble: Trouble): Reading {
  const book = bookIn(before);
  return trouble.status === UNCHANGED && book !== undefined
    ? { kind: 'read', book }
    : { kind: 'failed', trouble, book };
}
