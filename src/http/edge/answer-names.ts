import type { RequestHandler, Response } from 'express';
import { newUuid } from '../../words/uuid.ts';

const REQUEST_ID = 'X-Request-Id';

/**
 * Names every answer: the version of the contract that it keeps to, so that a client notices an
 * older or newer service, and an id by which its error can be found here.
 *
 * @param version of the contract
 */
export function nameAnswers(version: string): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('API-Version', version);
    response.setHeader(REQUEST_ID, newUuid());
    next();
  };
}

/** The id that an answer carries. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader(REQUEST_ID));
}
