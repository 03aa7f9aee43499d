import type { Outcome } from './http/outcome.ts';
import { isLoss } from './http/lost.ts';
import { noPlanner, type Trouble } from './http/trouble.ts';
import type { JobDocument } from './contract.ts';

/** The service refused a request, or did not answer. */
export class PlannerError extends Error implements Trouble {
  override readonly name: string = 'PlannerError';
  /** the service's code; `unreachable` without an answer */
  readonly code: string;
  /** status of HTTP; 0 without an answer */
  readonly status: number;
  readonly detail: string;
  /** places of the request and what is wrong there */
  readonly errors: Trouble['errors'];
  /** seconds after which the service wants to be asked again */
  readonly retryAfter: number | undefined;
  /** the offer that was accepted instead */
  readonly winner: string | undefined;
  /** the service's name of the request, for its administrators */
  readonly requestId: string | undefined;

  constructor(trouble: Trouble, cause?: unknown) {
    const { code, status, detail, errors, retryAfter, winner, requestId } = trouble;
    super(`${code}: ${detail || textOf(cause)}`, { cause });
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.winner = winner;
    this.requestId = requestId;
  }
}

/** The service did not answer, not even to repetitions. */
export class Unreachable extends PlannerError {
  override readonly name = 'Unreachable';
}

/** The credential is missing, invalid or over. */
export class Unauthorized extends PlannerError {
  override readonly name = 'Unauthorized';
}

/** The offer has expired: ask again. */
export class OfferExpired extends PlannerError {
  override readonly name = 'OfferExpired';
}

/** Another offer of the same answer was accepted. */
export class OfferTaken extends PlannerError {
  override readonly name = 'OfferTaken';
  /** the accepted offer, whose job has the same id */
  override readonly winner: string;

  constructor(trouble: Trouble, winner: string) {
    super(trouble);
    this.winner = winner;
  }
}

/** The job was not over in time. It goes on, and may be waited for again. */
export class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout';
}

/** The job ended without its results. */
export class JobFailed extends Error {
  override readonly name: string = 'JobFailed';
  /** the code of the service's catalogue; empty where it says none */
  readonly code: string;
  /** what the service tells of the failure */
  readonly detail: string;
  readonly job: JobDocument;

  constructor(job: JobDocument, text: string) {
    super(text === '' ? `job ${job.jobId} is ${job.phase}` : text);
    this.code = /^[a-z][a-z-]+(?=:)/.exec(text)?.[0] ?? '';
    this.detail = text;
    this.job = job;
  }
}

/** Somebody or the service stopped the job. */
export class JobAborted extends JobFailed {
  override readonly name = 'JobAborted';
}

/** The error that says this. @param cause why there was no answer */
export function errorOf(trouble: Trouble, cause?: unknown): PlannerError {
  const { status, code, winner } = trouble;
  if (code === 'unreachable') return new Unreachable(trouble, cause);
  if (status === 401) return new Unauthorized(trouble);
  if (code === 'offer-expired') return new OfferExpired(trouble);
  return winner === undefined ? new PlannerError(trouble) : new OfferTaken(trouble, winner);
}

/**
 * What was asked for.
 *
 * @throws the reason of the signal, PlannerError, or what was thrown before anything was sent
 */
export async function dataOf<T>(
  outcome: Outcome<T> | Promise<Outcome<T>>,
  signal?: AbortSignal,
): Promise<T> {
  const known = await outcome;
  if (known.ok) return known.data;
  signal?.throwIfAborted();
  const { trouble, cause } = known;
  if (isLoss(cause)) throw errorOf(trouble, cause);
  if (nameOf(cause) === 'SyntaxError') throw new PlannerError(noPlanner, cause);
  throw cause;
}

function nameOf(error: unknown): unknown {
  return Object(error).name;
}

/** In Node, the cause of `fetch failed` says more. */
function textOf(cause: unknown): string {
  const causes = [cause, Object(cause).cause].filter((one) => one !== undefined);
  return causes.map(sentenceOf).join(': ') || 'the service did not say more';
}

function sentenceOf(error: unknown): string {
  const { message, code, name } = Object(error);
  return String(message || code || name || error);
}
