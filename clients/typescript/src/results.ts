import type { JobDocument } from './contract.ts';
import { errorOf, PlannerError } from './errors.ts';
import type { Connection } from './http/connection.ts';
import { backoff, openPatience, pause } from './http/pause.ts';
import { isPassing, troubleIn, unreachable } from './http/trouble.ts';
import { chunksOf } from './streams/chunks.ts';

/** Reading ends with its signal. */
type Terms = { readonly signal?: AbortSignal | undefined };

/** A result of a job that is over. */
export class Result {
  readonly name: string;
  /** bytes */
  readonly size: number;
  /** media type */
  readonly type: string;
  readonly url: string;
  readonly #connection: Pick<Connection, 'open'>;

  constructor(
    { id, size, mimeType }: JobDocument['results'][number],
    url: string,
    connection: Pick<Connection, 'open'>,
  ) {
    this.name = id;
    this.size = size;
    this.type = mimeType;
    this.url = url;
    this.#connection = connection;
  }

  /**
   * The bytes as they come. After a lost connection they go on where it was lost.
   *
   * @param from the first byte; those before it are known already
   */
  stream(from = 0, terms: Terms = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    const bytes = bytesOf(this.#connection, this, from, terms);
    return new ReadableStream({
      pull: async (controller) => {
        const { done, value } = await bytes.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
      cancel: () => void bytes.return(),
    });
  }

  /** As an answer of HTTP, whose body is what `stream` reads. */
  response(terms?: Terms): Response {
    const headers = { 'Content-Type': this.type, 'Content-Length': String(this.size) };
    return new Response(this.stream(0, terms), { headers });
  }

  async text(terms?: Terms): Promise<string> {
    return this.response(terms).text();
  }

  async blob(terms?: Terms): Promise<Blob> {
    return this.response(terms).blob();
  }
}

/** Without any byte for longer, a connection is lost. */
const SILENCE_MS = 40_000;
/** Tries without a byte. */
const MOST_TRIES = 5;

/** Such as a page to sign in, which a proxy sends in its place. */
const tooLong = { code: 'result-size', detail: 'The answer is longer than the result.' };

async function* bytesOf(
  { open }: Pick<Connection, 'open'>,
  { url, size }: Pick<Result, 'url' | 'size'>,
  from: number,
  { signal }: Terms,
): AsyncGenerator<Uint8Array, void> {
  let at = from;
  for (let tries = 0; at < size; tries += 1) {
    const patience = openPatience(SILENCE_MS, signal);
    try {
      const response = await open(partRequest(url, at, patience.signal));
      let unwanted = at - (await beginOf(response, at));
      for await (const bytes of chunksOf(response, patience)) {
        const wanted = bytes.subarray(Math.min(unwanted, bytes.length));
        unwanted -= bytes.length - wanted.length;
        at += wanted.length;
        if (at > size) throw errorOf({ ...unreachable, ...tooLong, status: response.status });
        if (wanted.length === 0) continue;
        tries = 0;
        yield wanted;
      }
    } catch (error) {
      if (error instanceof PlannerError && !isPassing(error)) throw error;
    } finally {
      patience.close();
    }
    signal?.throwIfAborted();
    if (at >= size) return;
    if (tries >= MOST_TRIES) throw errorOf(unreachable);
    await pause(backoff(tries), signal);
  }
}

/** With a Range, the service and proxies compress nothing, so bytes can be counted. */
function partRequest(url: string, at: number, signal: AbortSignal): Request {
  return new Request(url, { headers: { Range: `bytes=${at}-` }, redirect: 'manual', signal });
}

/** The place of an answer's first byte. @throws PlannerError a refusal, or bytes from behind */
async function beginOf(response: Response, at: number): Promise<number> {
  if (!response.ok) throw errorOf(await troubleIn(response));
  const [, begin = '0'] = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '') ?? [];
  if (Number(begin) <= at) return Number(begin);
  const detail = `The answer begins at byte ${begin}, and not at ${at}.`;
  throw errorOf({ ...unreachable, status: response.status, code: 'other-part', detail });
}
