import { troubleOf, unreachable, type Trouble } from '../trouble.ts';

type Terms = {
  readonly place: string;
  /** bytes of a log that is complete; undefined: it is written now */
  readonly size: number | undefined;
  readonly onText: (text: string) => void;
  /** there is nothing in the log now */
  readonly onEmpty: () => void;
  /** the text begins from the start of the log or of its tail */
  readonly onStart: () => void;
  /** it cannot be read, and is not asked for again */
  readonly onTrouble: (trouble: Trouble) => void;
};

/** Of a log that is complete, the last bytes are read: 5,000 lines of 400 characters. */
const TAIL_BYTES = 2_000_000;
const AGAIN_MS = 1000;

/**
 * Follows a log by server-sent events, which browsers resume themselves after a cut, or reads the
 * tail of one that is complete.
 *
 * @returns a function that ends it
 */
export function followLog(terms: Terms): () => void {
  return terms.size === undefined ? followLive(terms) : readTail(terms, terms.size);
}

function followLive({ place, onText, onEmpty, onStart, onTrouble }: Terms): () => void {
  const stop = new AbortController();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasText = false;
  const open = (): void => {
    onStart();
    hasText = false;
    // JSON has carriage returns, which progress bars need and lines of events cannot have.
    source = new EventSource(`${place}?EVENTS=json`);
    source.addEventListener('open', () => {
      if (!hasText) onEmpty();
    });
    source.addEventListener('message', ({ data }) => {
      hasText = true;
      onText(String(JSON.parse(String(data))));
    });
    source.addEventListener('end', () => source?.close());
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) void closed();
    });
  };
  const closed = async (): Promise<void> => {
    const refusal = await refusalOf(place, stop.signal);
    if (stop.signal.aborted) return;
    if (refusal !== undefined) return onTrouble(refusal);
    // The job has not begun to write, or the service starts again.
    if (!hasText) onEmpty();
    timer = setTimeout(open, AGAIN_MS);
  };
  open();
  return () => {
    stop.abort();
    source?.close();
    clearTimeout(timer);
  };
}

/**
 * Why the client may not read a log, such as after the end of a sign-in: an EventSource does not
 * tell. Undefined: it may, or the service does not answer.
 */
async function refusalOf(place: string, signal: AbortSignal): Promise<Trouble | undefined> {
  try {
    const response = await fetch(place, { headers: { Range: 'bytes=0-0' }, signal });
    if (response.status === 401 || response.status === 403)
      return troubleOf(response, await response.text());
    await response.body?.cancel();
  } catch {
    // It is tried again like any stream that was cut.
  }
  return undefined;
}

function readTail({ place, onText, onEmpty, onStart, onTrouble }: Terms, size: number): () => void {
  const stop = new AbortController();
  const from = Math.max(0, size - TAIL_BYTES);
  const read = async (): Promise<void> => {
    const response = await fetch(place, {
      ...(from > 0 && { headers: { Range: `bytes=${from}-` } }),
      signal: stop.signal,
    });
    const text = await response.text();
    if (!response.ok) return onTrouble(troubleOf(response, text));
    onStart();
    if (text === '') onEmpty();
    // The first line of a part may be cut.
    else onText(from === 0 ? text : text.slice(text.indexOf('\n') + 1));
  };
  if (size === 0) onEmpty();
  else
    read().catch(() => {
      if (!stop.signal.aborted) onTrouble(unreachable);
    });
  return () => stop.abort();
}
