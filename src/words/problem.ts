import { PROBLEMS, type ProblemCode } from './catalogue.ts';

/** One thing that is wrong with a request, and where. */
export type Fault = { readonly path: string; readonly text: string };

/** What a problem document may say besides its code (RFC 9457 extension members). */
export type ProblemDetails = {
  /** every fault of the body or the parameters, not only the first */
  readonly errors?: readonly Fault[];
  /** states that an update may ask for now */
  readonly allowed?: readonly string[];
  readonly state?: string;
  /** id of the sibling that was accepted */
  readonly winner?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
};

/**
 * A refused request: becomes a problem document with the code's status,
 * or a UWS text body below /jobs.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly details: ProblemDetails;

  /** @param detail one sentence that names the place, the value and what would be right */
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
