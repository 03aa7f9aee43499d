import { giveUp } from '../python/meter.ts';
import type { HttpAnswer, HttpRequest } from '../python/modules/requests/exchange.ts';

/** Most requests of one decision; a rank function needs one. */
export const MOST_REQUESTS = 8;

/**
 * The requests of one decision, inside the isolate. Known answers are given out in order: a
 * decision that runs again under the same circumstances makes the same requests. The first request
 * without an answer ends the run, and is in `wanted`.
 */
export class Exchange {
  readonly #known: readonly HttpAnswer[];
  #next = 0;
  #wanted: HttpRequest | null = null;

  constructor(known: readonly HttpAnswer[]) {
    this.#known = known;
  }

  /**
   * The request that ended the run; null for none. With a request, the result of the run has no
   * meaning.
   */
  get wanted(): HttpRequest | null {
    return this.#wanted;
  }

  /** Whether the run made a request, which may be answered otherwise another time. */
  get isUsed(): boolean {
    return this.#next > 0;
  }

  /** @throws FuelExhausted for a request without an answer */
  send(request: HttpRequest): HttpAnswer {
    const known = this.#known[this.#next];
    this.#next += 1;
    if (known !== undefined) return known;
    if (this.#known.length >= MOST_REQUESTS) {
      return {
        kind: 'failed',
        error: 'ConnectionError',
        message: `more than ${MOST_REQUESTS} requests in one decision`,
      };
    }
    this.#wanted ??= request;
    return giveUp();
  }
}
