/** Why there is no content. */
export type FetchFailureCode =
  | 'url-forbidden'
  | 'fetch-failed'
  | 'fetch-too-large'
  | 'fetch-timeout';

/** Content that could not be had. `transient` is true when trying again may help. */
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
