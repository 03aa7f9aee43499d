import { isRecord, textOf } from '../../words/record.ts';

/**
 * The reason when an object of that name is there. Other conflicts pass, for example two requests
 * that a quota counts at the same time.
 */
export const ALREADY_EXISTS = 'AlreadyExists';

/** The API server answered no. */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
  readonly status: number;
  /** its word for it, such as `AlreadyExists`; empty when it gives none */
  readonly reason: string;

  constructor(status: number, message: string, reason = '') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

const PATIENCE_MS = 20_000;
const MISSING = 404;

type Said = { readonly message: string; readonly reason: string };

/** Waits 20 s at the most, and translates the client's errors. */
export async function bounded<Value>(call: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the API server did not answer within ${PATIENCE_MS / 1000} s`)),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([call, late]);
  } catch (error) {
    throw refusalOf(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Our error for one of the client, whose message repeats the whole answer with its headers. */
export function refusalOf(error: unknown): unknown {
  const status = statusOf(error);
  if (status === undefined) return error;
  const { message, reason } = saidIn(isRecord(error) ? error['body'] : undefined);
  return new ClusterRefusal(status, message || `the API server answered ${status}`, reason);
}

/** Is what was named not there? */
export function isNotFound(error: unknown): boolean {
  return error instanceof ClusterRefusal && error.status === MISSING;
}

function statusOf(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined;
  const status = error['code'] ?? error['statusCode'];
  return typeof status === 'number' ? status : undefined;
}

/** What an answer of the API server says; the client gives it as an object or as text. */
function saidIn(body: unknown): Said {
  if (typeof body === 'string') {
    try {
      return saidIn(JSON.parse(body));
    } catch {
      return { message: body, reason: '' };
    }
  }
  return isRecord(body)
    ? { message: textOf(body['message']), reason: textOf(body['reason']) }
    : { message: '', reason: '' };
}
