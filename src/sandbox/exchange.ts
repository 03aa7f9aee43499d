import { giveUp } from '../python/meter.ts';
import type { HttpAnswer, HttpRequest } from '../python/modules/requests/exchange.ts';

/** Requests of one decision; a rank function needs one. */
export const MOST_REQUESTS = 8;

/**
 * The requests of one decision, inside the isolate. The answers that are known already are given
 * out in order: a decision that runs again with the same circumstances asks the same in the same
 * order. The first request beyond them ends the run; what it asked is in `wanted`.
 */
export class Exchange {
  readonly #known: readonly HttpAnswer[];
  #next = 0;
  #wanted: HttpRequest | null = null;

  constructor(known: readonly HttpAnswer[]) {
    this.#known = known;
  }

  /**
   * The request that the run ended at; null when it did not. Whatever the
   * run answered then means nothing.
   */
  get wanted(): HttpRequest | null {
    return this.#wanted;
  }

  /** @throws FuelExhausted when the answer is not known yet */
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
