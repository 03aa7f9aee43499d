import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { inOne } from '../../../src/http/edge/in-one.ts';
import { listenForRequests, urlOf } from '../../../src/http/edge/listen.ts';

const FAILURE = new Error('of a handler');

/** What an app with these handlers answers: the marks that handlers made, and its end. */
async function answerOf(...handlers: readonly RequestHandler[]): Promise<string> {
  const failed: ErrorRequestHandler = (error, _request, response, _next) =>
    void response.append('marks', error === FAILURE ? 'failed' : 'wrong').end();
  const app = express()
    .use(inOne(...handlers))
    .use(mark('after'), (_request, response) => void response.end())
    .use(failed);
  const server = await listenForRequests(app, { port: 0, host: '127.0.0.1' });
  try {
    return (await fetch(urlOf(server, '127.0.0.1'))).headers.get('marks') ?? '';
  } finally {
    server.close();
  }
}

function mark(name: string): RequestHandler {
  return (_request, response, next) => {
    response.append('marks', name);
    next();
  };
}

describe('several handlers in one', () => {
  test('run in turn, before those after them', async () => {
    const later: RequestHandler = (_request, _response, next) => void setImmediate(next);
    expect(await answerOf(mark('one'), later, mark('two'))).toBe('one, two, after');
  });

  test.each<[string, RequestHandler]>([
    [
      'throws',
      () => {
        throw FAILURE;
      },
    ],
    [
      'throws later',
      async () => {
        throw FAILURE;
      },
    ],
    ['passes an error on', (_request, _response, next) => next(FAILURE)],
  ])('end with the error of one that %s', async (_what, failing) => {
    expect(await answerOf(mark('one'), failing, mark('two'))).toBe('one, failed');
  });

  test('end with one that answers', async () => {
    const answering: RequestHandler = (_request, response) => void response.end();
    expect(await answerOf(mark('one'), answering, mark('two'))).toBe('one');
  });
});
