import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { jest } from '@jest/globals';

/** A small server of event streams; a test says how each request is answered. */
export type EventServer = {
  readonly url: string;
  /** answers the requests from now on */
  readonly answer: (answer: Answer) => void;
  /** all requests so far */
  readonly requests: IncomingMessage[];
  /** the answers that are still open */
  readonly open: Set<ServerResponse>;
  readonly close: () => Promise<void>;
};

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Two minutes and more. */
const MOST_TRIES = 60_000;
const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };

/** Starts the server; a page of it is what the code under test believes to be in. */
export async function startEventServer(): Promise<EventServer> {
  let answer: Answer = (_, response) => void response.writeHead(404).end();
  const requests: IncomingMessage[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    requests.push(request);
    open.add(response);
    response.once('close', () => open.delete(response));
    answer(request, response);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const url = `http://127.0.0.1:${address.port}`;
  Object.assign(globalThis, { location: new URL(`${url}/`) });
  return {
    url,
    answer: (next) => {
      answer = next;
    },
    requests,
    open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
    },
  };
}

/** Loads a module of the console, whose types are those of a browser's page and not of this program. */
export function load(module: string): Promise<unknown> {
  return import(String(new URL(`../../../src/console/${module}`, import.meta.url)));
}

/** Begins an event stream whose reader comes again at once after a cut. */
export function begin(response: ServerResponse): ServerResponse {
  response.writeHead(200, HEADERS).write('retry: 1\n\n');
  return response;
}

/** An event as it is sent. */
export function printed(id: number, event: string, data: unknown): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Number of the last event that the reader has, 0 without one. */
export function lastOf({ headers }: IncomingMessage): number {
  return Number(headers['last-event-id'] ?? 0);
}

/**
 * Answers with these events, each once by its number: the first answer ends at a place of its text,
 * and all others go on behind the last event that the reader has.
 */
export function cutAt(events: readonly string[], place: number): Answer {
  let answers = 0;
  return (request, response) => {
    answers += 1;
    begin(response);
    const rest = events.slice(lastOf(request)).join('');
    if (answers > 1) return void response.write(rest);
    const part = rest.slice(0, place);
    // A stream may end in order, and in the middle of the connection.
    if (place % 2 === 0) response.end(part);
    else response.write(part, () => response.destroy());
  };
}

/** Waits, also while the clock stands still. A test that fails must not wait for ever. */
export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > MOST_TRIES) throw new Error(`it never came to ${holds}`);
    await wait(2);
  }
}

/** Stops the clock of the code under test, and not that of connections. */
export function stopClock(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
}
