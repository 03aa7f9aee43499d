import { placeOf } from '../api.ts';
import { changeOf, CHANGES, type Change } from '../client.ts';

type Terms = {
  readonly onChange: (change: Change) => void;
  /** Do changes come? */
  readonly onLive: (isLive: boolean) => void;
};

/** The service ends streams after five minutes; browsers take a few seconds to come again. */
const GRACE_MS = 8000;
/** A stream in which nothing comes for longer is dead, though the browser does not know it. */
const SILENCE_MS = 330_000;
/** After a refusal, which ends an EventSource. */
const AGAIN_MS = 30_000;

/**
 * Follows the changes of the client's own offers and jobs.
 *
 * @returns a function that ends it
 */
export function openStream({ onChange, onLive }: Terms): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Each try of the browser to come again fails with an error of its own. */
  let isCut = false;
  const then = (ms: number, act: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const open = (): void => {
    source?.close();
    const opened = new EventSource(placeOf('events'));
    source = opened;
    isCut = false;
    for (const name of CHANGES)
      opened.addEventListener(name, ({ data }) => {
        isCut = false;
        then(SILENCE_MS, fail);
        onLive(true);
        const change = changeOf(name, String(data));
        if (change !== undefined) onChange(change);
      });
    opened.addEventListener('error', () => {
      // Some tell that a connection failed which the page itself has closed.
      if (opened !== source) return;
      if (opened.readyState === EventSource.CLOSED) fail();
      else if (!isCut) then(GRACE_MS, fail);
      isCut = true;
    });
    // A proxy that keeps an answer until its end sends nothing.
    then(SILENCE_MS, fail);
  };
  const fail = (): void => {
    onLive(false);
    // The browser itself comes again after a cut.
    if (source?.readyState === EventSource.CONNECTING) then(SILENCE_MS, open);
    else then(AGAIN_MS, open);
  };
  open();
  return () => {
    source?.close();
    source = undefined;
    clearTimeout(timer);
  };
}
