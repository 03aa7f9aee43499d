import type { Request, RequestHandler } from 'express';
import { raw } from 'express';
import type { Secret } from '../../identity/identify.ts';
import { Problem } from '../../words/problem.ts';
import { isRecord } from '../../words/record.ts';
import { readDocument } from '../body/document.ts';

const MOST_BYTES = 8192;
const LONGEST = 1000;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Reads the body of `POST /login`; any page could send a form, so it must be JSON. */
export const loginBody: readonly RequestHandler[] = [
  (request, _response, next) => {
    const type = request.headers['content-type'];
    if (type !== undefined && JSON_TYPE.test(type)) return next();
    throw new Problem(
      'media-type-unsupported',
      'Send the body with Content-Type application/json.',
      { headers: { Accept: 'application/json' } },
    );
  },
  raw({ type: () => true, limit: MOST_BYTES }),
];

/**
 * What the user typed.
 *
 * @throws Problem `body-unreadable` or `body-not-an-ask` (400); no message repeats the body
 */
export function secretIn({ body }: Pick<Request, 'body'>): Secret {
  const bytes: unknown = body;
  const document = readDocument(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), 'json');
  if (isRecord(document)) {
    const { user, password, token } = document;
    const keys = Object.keys(document).toSorted().join();
    if (keys === 'token' && isTyped(token)) return { token };
    if (keys === 'password,user' && isTyped(user) && isTyped(password)) return { user, password };
  }
  throw new Problem(
    'body-not-an-ask',
    'The body must have user and password, or token, as texts of up to 1,000 characters.',
  );
}

function isTyped(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST;
}
