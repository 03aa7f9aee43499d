import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer over a connection of its own. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

/**
 * Sends the raw lines of a request's head, which no HTTP client would send, and an optional body.
 *
 * @param at URL of the service; only its host and port are used
 */
export async function sendRaw(at: string, lines: readonly string[], body = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(at);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  await once(socket, 'connect');
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  socket.write([...lines, ...length, 'Connection: close', '', body].join('\r\n'));
  const answer = await text(socket);
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const [first = '', ...fields] = head.split('\r\n');
  const pairs = fields.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return {
    status: Number(first.split(' ')[1]),
    headers: new Headers(pairs),
    body: rest.join('\r\n\r\n'),
  };
}
