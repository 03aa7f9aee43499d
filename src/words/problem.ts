import { PROBLEMS, type ProblemCode } from './catalogue.ts';

/** One fault of a request, and its place. */
export type Fault = { readonly path: string; readonly text: string };

/** What a problem document has besides its code (RFC 9457 extension members). */
type ProblemDetails = {
  /** all faults of the body or the parameters */
  readonly errors?: readonly Fault[];
  /** states that an update may ask for now */
  readonly allowed?: readonly string[];
  readonly state?: string;
  /** id of the accepted offer of the same answer */
  readonly winner?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
};

/** Problems that pass by themselves. */
export type PassingCode = {
  [Code in ProblemCode]: (typeof PROBLEMS)[Code][0] extends 429 | 503 ? Code : never;
}[ProblemCode];

/** When to try again, seconds: without it, clients guess, and all guess alike. */
type PassingDetails = ProblemDetails & { readonly headers: { readonly 'Retry-After': string } };

/**
 * A refused request: it becomes a problem document with the status of its code, or a UWS text body
 * below /jobs.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly details: ProblemDetails;

  constructor(code: PassingCode, detail: string, details: PassingDetails);
  constructor(code: Exclude<ProblemCode, PassingCode>, detail: string, details?: ProblemDetails);
  /** @param detail one sentence with the place, the value and what is right */
  constructor(code: ProblemCode, detail: string, details: ProblemDetails = {}) {
    super(detail);
    const [status, title] = PROBLEMS[code];
    this.name = 'Problem';
    this.code = code;
    this.status = status;
    this.title = title;
    this.details = details;
  }
}

/** Does such a problem pass by itself? */
export function passes(code: ProblemCode): code is PassingCode {
  const [status] = PROBLEMS[code];
  return status === 429 || status === 503;
}
