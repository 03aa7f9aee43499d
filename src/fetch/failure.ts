/** Why a fetch failed. */
export type FetchFailureCode =
  | 'url-forbidden'
  | 'fetch-failed'
  | 'fetch-too-large'
  | 'fetch-timeout';

/** A fetch failed. `transient`: another attempt may succeed. */
export class FetchFailure extends Error {
  readonly code: FetchFailureCode;
  readonly transient: boolean;

  constructor(code: FetchFailureCode, message: string, transient = false, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FetchFailure';
    this.code = code;
    this.transient = transient;
  }
}
