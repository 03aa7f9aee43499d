import { open } from '../api.ts';
import { troubleIn, unreachable, type Trouble } from '../client.ts';
import { followLog as followText, PlannerError } from '../job-client.ts';

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

/**
 * Follows a log by server-sent events, or reads the tail of one that is complete.
 *
 * @returns a function that ends it
 */
export function followLog(terms: Terms): () => void {
  return terms.size === undefined ? followLive(terms) : readTail(terms, terms.size);
}

function followLive({ place, onText, onEmpty, onStart, onTrouble }: Terms): () => void {
  const stop = new AbortController();
  let hasText = false;
  const tellEmpty = (): void => {
    if (!hasText) onEmpty();
  };
  const read = async (): Promise<void> => {
    onStart();
    for await (const text of followText({ open }, place, {
      signal: stop.signal,
      onOpen: tellEmpty,
      onTrouble: tellEmpty,
      // The job has not begun to write; its end is told by the job itself.
      mayCome: () => {
        tellEmpty();
        return true;
      },
    })) {
      hasText = true;
      onText(text);
    }
  };
  read().catch((error: unknown) => {
    if (!stop.signal.aborted) onTrouble(error instanceof PlannerError ? error : unreachable);
  });
  return () => stop.abort();
}

function readTail({ place, onText, onEmpty, onStart, onTrouble }: Terms, size: number): () => void {
  const stop = new AbortController();
  const from = Math.max(0, size - TAIL_BYTES);
  const read = async (): Promise<void> => {
    const headers: HeadersInit = from > 0 ? { Range: `bytes=${from}-` } : {};
    const response = await open(new Request(place, { headers, signal: stop.signal }));
    if (!response.ok) return onTrouble(await troubleIn(response));
    const text = await response.text();
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
