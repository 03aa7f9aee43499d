import { errorOf } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { openPatience, pause, wantedPause } from '../http/pause.ts';
import { isPassing, troubleIn, unreachable, type Trouble } from '../http/trouble.ts';
import { chunksOf } from './chunks.ts';
import { openEventReader, type ServerEvent } from './events.ts';

export type StreamTerms = {
  readonly signal?: AbortSignal | undefined;
  /** an answer has come, whose events follow */
  readonly onOpen?: (() => void) | undefined;
  /** it cannot go on now, and is tried again */
  readonly onTrouble?: ((trouble: Trouble) => void) | undefined;
};

/** How far a stream has come. */
type Progress = {
  /** id of the last event; empty before the first one */
  last: string;
  /** connections since then */
  tries: number;
  /** since when the service does not answer; undefined: it did the last time */
  awaySince: number | undefined;
};

/** What became of one connection: the service has no more, or the next one is to be tried. */
type End =
  | { readonly isOver: true }
  | { readonly isOver: false; readonly retry?: number | undefined; readonly trouble?: Trouble };

/** The service sends a comment every 15 s: a stream that is silent for longer is lost. */
const SILENCE_MS = 40_000;
const AGAIN_MS = 1000;
const MOST_AGAIN_MS = 30_000;
/** A service that has not answered for longer does not come again soon. */
const LONGEST_MS = 300_000;

/**
 * Follows the events at an address, each once: after a lost connection it goes on behind the last
 * one. Ends where the service has no more.
 *
 * @throws PlannerError a refusal, or a service that was away for five minutes
 */
export async function* followEvents(
  connection: Pick<Connection, 'open'>,
  place: string,
  terms: StreamTerms = {},
): AsyncGenerator<ServerEvent, void> {
  const progress: Progress = { last: '', tries: 0, awaySince: undefined };
  for (;;) {
    const end = yield* connect(connection, place, progress, terms);
    terms.signal?.throwIfAborted();
    if (end.isOver) return;
    const { retry, trouble } = end;
    if (trouble !== undefined) {
      progress.awaySince ??= performance.now();
      const isGone = performance.now() - progress.awaySince > LONGEST_MS;
      if (isGone || !isPassing(trouble)) throw errorOf(trouble);
      terms.onTrouble?.(trouble);
    }
    const wanted = wantedPause(trouble?.retryAfter) ?? retry;
    await pause(wanted ?? againAfter(progress.tries), terms.signal);
    progress.tries += 1;
  }
}

/** One connection. Its loss is no error: the next one says whether the service is there. */
async function* connect(
  { open }: Pick<Connection, 'open'>,
  place: string,
  progress: Progress,
  { signal, onOpen }: StreamTerms,
): AsyncGenerator<ServerEvent, End> {
  const patience = openPatience(SILENCE_MS, signal);
  const reader = openEventReader(progress.last);
  try {
    const response = await open(requestOf(place, progress.last, patience.signal));
    if (response.status === 204 && progress.last !== '') return { isOver: true };
    const trouble = await troubleWith(response);
    if (trouble !== undefined) return { isOver: false, trouble };
    progress.awaySince = undefined;
    onOpen?.();
    for await (const bytes of chunksOf(response, patience)) {
      for (const event of reader.push(bytes)) {
        progress.last = event.id;
        progress.tries = 0;
        yield event;
      }
    }
    return { isOver: false, retry: reader.retry() };
  } catch {
    return { isOver: false, retry: reader.retry(), trouble: unreachable };
  } finally {
    patience.close();
  }
}

function requestOf(place: string, last: string, signal: AbortSignal): Request {
  return new Request(place, {
    headers: { Accept: 'text/event-stream', ...(last !== '' && { 'Last-Event-ID': last }) },
    redirect: 'manual',
    cache: 'no-store',
    signal,
  });
}

/** A page to sign in, which a proxy sends, has no events. */
async function troubleWith(response: Response): Promise<Trouble | undefined> {
  if (response.status !== 200) return troubleIn(response);
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
    return undefined;
  await response.body?.cancel();
  const detail = 'The answer is no stream of events: it may be of another server.';
  return { ...unreachable, status: 200, code: 'no-events', detail };
}

/** Many clients lose a service that ends; they come again one after the other. */
function againAfter(tries: number): number {
  return Math.min(MOST_AGAIN_MS, AGAIN_MS * 2 ** tries) * (1 + Math.random() / 4);
}
