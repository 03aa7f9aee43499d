import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A server-sent event. */
export type Sent = {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A stream of events that goes on while the test looks at what came. */
export type Stream = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: () => string;
  /** all events, those of these names */
  readonly events: (...names: readonly string[]) => readonly Sent[];
  readonly last: () => string;
  readonly ended: () => boolean;
  readonly leave: () => void;
};

/** Opens a stream with a bearer token. */
export async function openStream(
  url: string,
  token?: string,
  last?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  const request = get(url, {
    headers: {
      Accept: 'text/event-stream',
      ...headers,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(last !== undefined && { 'Last-Event-ID': last }),
    },
  });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('no answer');
  let text = '';
  let ended = false;
  response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  response.on('error', () => undefined).on('close', () => (ended = true));
  const events = (...names: readonly string[]): readonly Sent[] =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((block) => /^event: /m.test(block))
      .map((block) => ({
        event: /^event: (.*)$/m.exec(block)?.[1] ?? '',
        id: /^id: (.*)$/m.exec(block)?.[1],
        data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}'),
      }))
      .filter(({ event }) => names.length === 0 || names.includes(event));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events,
    last: () => events().at(-1)?.id ?? '',
    ended: () => ended,
    leave: () => void response.destroy(),
  };
}
