import type { Patience } from '../http/pause.ts';

/**
 * The bytes of an answer as they come. Whoever stops reading ends the connection.
 *
 * @param patience is wound up by each piece; its end is the end of the stream
 */
export async function* chunksOf(
  { body }: Response,
  { signal, windUp }: Patience,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      windUp();
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
