import { Router, type Request, type Response } from 'express';
import { ownerOf, secondsLeft, type Principal } from '../../identity/principal.ts';
import { openPatience } from '../../uws/live/patience.ts';
import type { Waiters } from '../../uws/live/waiters.ts';
import { principalOf } from '../identified.ts';
import type { ChangeReader, OwnChanges } from './own-changes.ts';

type EventParts = { readonly changes: OwnChanges; readonly waiters: Pick<Waiters, 'released'> };

/** Open streams; a client needs one for all its pages. */
const STREAMS = { perOwner: 100, perAddress: 20 };
/** A comment every 15 s keeps proxies from closing a silent connection. */
const ALIVE_MS = 15_000;
/** Then the client comes again with its credential, which may have been withdrawn. */
const LONGEST_MS = 5 * 60_000;
/** Above it the client does not read; it comes again and gets what it missed. */
const MOST_UNREAD = 256 * 1024;
/** A client above the limits looks again this often. */
const RETRY_MS = 30_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/**
 * Streams the changes of the client's own offers and jobs as server-sent events (HTML Living
 * Standard § 9.2).
 */
export function eventRoutes({ changes, waiters }: EventParts): Router {
  const router = Router();
  const patience = openPatience(STREAMS);
  router.get('/events', async (request, response) => {
    const principal = principalOf(request);
    const waiting = { owner: ownerOf(principal), req: request };
    if (request.method === 'HEAD') return void response.set(HEADERS).end();
    if (waiters.released.aborted || !patience.enter(waiting))
      return void response.set(HEADERS).end(`retry: ${RETRY_MS}\n${printed('start', {})}`);
    try {
      await stream(changes, principal, request, response, waiters.released);
    } finally {
      patience.leave(waiting);
    }
  });
  return router;
}

/** Tells until the client leaves, its time is over or the service stops. */
async function stream(
  changes: OwnChanges,
  principal: Principal,
  request: Request,
  response: Response,
  released: AbortSignal,
): Promise<void> {
  const owner = ownerOf(principal);
  const over = Promise.withResolvers<void>();
  const write = (text: string): void => {
    response.write(text);
    if (response.writableLength > MOST_UNREAD) over.resolve();
  };
  const reader: ChangeReader = {
    tell: ({ id, event, data }) => write(printed(event, data, id)),
    tellBook: (number, id) => write(printed('book', { number }, id)),
    tellStart: (id) => write(printed('start', {}, id)),
  };
  const end = (): void => over.resolve();
  response.once('close', end);
  released.addEventListener('abort', end);
  const timers = [setTimeout(end, lifetimeOf(principal, Date.now()))];
  try {
    const { id, missed, book } = await changes.open(owner, request.get('last-event-id'), reader);
    response.set(HEADERS);
    if (missed === undefined) reader.tellStart(id);
    else missed.forEach(reader.tell);
    reader.tellBook(book, id);
    timers.push(setInterval(() => write(': \n\n'), ALIVE_MS));
    await over.promise;
    response.end();
  } finally {
    changes.close(owner, reader);
    timers.forEach(clearTimeout);
    response.off('close', end);
    released.removeEventListener('abort', end);
  }
}

function lifetimeOf(principal: Principal, now: number): number {
  return Math.min(LONGEST_MS, secondsLeft(principal, now) * 1000);
}

function printed(event: string, data: object, id?: string): string {
  const lines = [`event: ${event}`, `data: ${JSON.stringify(data)}`];
  if (id !== undefined) lines.push(`id: ${id}`);
  return `${lines.join('\n')}\n\n`;
}
