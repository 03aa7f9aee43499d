/** Name and value, in the order given. */
export type Pair = readonly [name: string, value: string];

/** A body as the snippet gave it: text as it is, or the fields of a form. */
export type HttpBody =
  | { readonly kind: 'text'; readonly text: string; readonly type: string | null }
  | { readonly kind: 'form'; readonly fields: readonly Pair[] };

/** A request of a snippet to a web server: plain data, JSON, unchecked. */
export type HttpRequest = {
  readonly method: string;
  readonly url: string;
  /** Pairs to add to the query of the URL. */
  readonly params: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly body: HttpBody | null;
  /** User and password for basic authentication. */
  readonly auth: Pair | null;
  /** How long the snippet would wait, milliseconds; null when it does not say. */
  readonly timeoutMs: number | null;
  readonly followsRedirects: boolean;
};

/** Exceptions of `requests` in which a request can end. */
export const HTTP_ERRORS = [
  'ConnectionError',
  'ConnectTimeout',
  'ReadTimeout',
  'SSLError',
  'TooManyRedirects',
  'MissingSchema',
  'InvalidSchema',
  'InvalidURL',
  'InvalidHeader',
  'ChunkedEncodingError',
  'ContentDecodingError',
] as const;
export type HttpErrorName = (typeof HTTP_ERRORS)[number];

/** The outcome of a request: plain data, JSON. Names of headers are in lower case. */
export type HttpAnswer =
  | {
      readonly kind: 'answered';
      /** The URL that answered in the end, after redirects. */
      readonly url: string;
      readonly status: number;
      readonly reason: string;
      readonly headers: readonly Pair[];
      readonly text: string;
      readonly encoding: string;
      readonly milliseconds: number;
    }
  | { readonly kind: 'failed'; readonly error: HttpErrorName; readonly message: string };

/** Sends a request, or returns a known outcome. */
export type Send = (request: HttpRequest) => HttpAnswer;
