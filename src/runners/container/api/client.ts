import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { isRecord } from '../../../words/record.ts';
import type { EngineAddress } from '../settings.ts';

/** The engine answered no. */
export class EngineRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'EngineRefusal';
    this.status = status;
  }
}

/** One call of the API. `path` begins with a slash and is without the version. */
type ApiCall = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON, or a tar stream */
  readonly body?: unknown;
  readonly upload?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * milliseconds until the answer begins, and between two pieces of it;
   * none for a stream that follows
   */
  readonly patience?: number;
  readonly signal?: AbortSignal;
};

/**
 * A client of the Docker Engine API. Both methods throw EngineRefusal,
 * or an error of the connection.
 */
export type EngineApi = {
  readonly call: (call: ApiCall) => Promise<unknown>;
  /** The answer as it comes; whoever calls reads or destroys it. */
  readonly open: (call: ApiCall) => Promise<IncomingMessage>;
};

/** Docker 19.03 and Podman 4 know this version. */
const VERSION = '/v1.40';
const PATIENCE = 30_000;
const LONGEST_ANSWER = 64 * 2 ** 20;

/** @throws Error when a file of the address cannot be read */
export function engineApi(address: EngineAddress): EngineApi {
  const { options, send } = connectionOf(address);

  const open = ({
    method,
    path,
    query = {},
    body,
    upload,
    headers = {},
    patience = PATIENCE,
    signal,
  }: ApiCall): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const search = new URLSearchParams(query).toString();
      const request = send({
        ...options,
        method,
        path: `${VERSION}${path}${search === '' ? '' : `?${search}`}`,
        agent: false,
        headers: {
          ...options.headers,
          ...(upload === undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(signal !== undefined && { signal }),
      });
      request.setTimeout(patience, () =>
        request.destroy(
          new Error(`the engine did not answer ${method} ${path} within ${patience / 1000} s`),
        ),
      );
      request.once('error', reject).once('response', (answer: IncomingMessage) => {
        const status = answer.statusCode ?? 0;
        if (status < 400 && status !== 304) return resolve(answer);
        // The refusal does not depend on its body.
        return void readAll(answer)
          .then(messageOf, () => '')
          .then((message) => reject(new EngineRefusal(status, message)));
      });
      if (upload !== undefined)
        upload.once('error', (error) => request.destroy(error)).pipe(request);
      else request.end(body === undefined ? undefined : JSON.stringify(body));
    });

  return { open, call: async (call) => parsed(await readAll(await open(call))) };
}

/**
 * Whether the engine said that there is no such thing. Podman answers 500 when a container
 * disappears while it looks.
 */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof EngineRefusal &&
    (error.status === 404 || /no such (container|image)/i.test(error.message))
  );
}

/** Some names differ between Podman and Docker. */
export async function isPodman(api: EngineApi): Promise<boolean> {
  const version = await api.call({ method: 'GET', path: '/version' });
  const parts =
    isRecord(version) && Array.isArray(version['Components']) ? version['Components'] : [];
  return parts.some((part: unknown) => isRecord(part) && part['Name'] === 'Podman Engine');
}

function connectionOf(address: EngineAddress): {
  readonly options: RequestOptions & { ca?: Buffer; cert?: Buffer; key?: Buffer };
  readonly send: typeof httpRequest | typeof httpsRequest;
} {
  switch (address.kind) {
    case 'unix':
      return {
        options: { socketPath: address.path, headers: { host: 'engine' } },
        send: httpRequest,
      };
    case 'tcp': {
      const { host, port, tls } = address;
      return {
        options: {
          host,
          port,
          ca: readFileSync(tls.ca),
          cert: readFileSync(tls.cert),
          key: readFileSync(tls.key),
        },
        send: httpsRequest,
      };
    }
    default:
      return address satisfies never;
  }
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer) {
    if (!Buffer.isBuffer(piece)) throw new Error('an answer is read as bytes');
    length += piece.length;
    if (length > LONGEST_ANSWER) throw new Error('the answer of the engine is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function messageOf(text: string): string {
  const value = parsed(text);
  return isRecord(value) && typeof value['message'] === 'string' ? value['message'] : text.trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
