/** Why something did not work. */
export type Trouble = {
  /** status of HTTP; 0 without an answer */
  readonly status: number;
  /** the service's code; `unreachable` without an answer */
  readonly code: string;
  readonly detail: string;
  /** places of the request and what is wrong there */
  readonly faults: readonly { readonly path: string; readonly text: string }[];
  /** seconds after which the service wants to be asked again */
  readonly retryAfter: number | undefined;
  /** the offer that was accepted instead */
  readonly winner: string | undefined;
};

/** The service did not answer. */
export const unreachable: Trouble = {
  status: 0,
  code: 'unreachable',
  detail: '',
  faults: [],
  retryAfter: undefined,
  winner: undefined,
};

/**
 * Reads a refusal: a problem document, or below `/jobs` a text that begins with the code.
 *
 * @param body the document, or the text of the answer
 */
export function troubleOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): Trouble {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const common = {
    status,
    faults: [],
    winner: undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  };
  if (typeof body === 'string') {
    const [, code, detail] = /^([a-z][a-z-]+): ([\s\S]*)$/.exec(body) ?? [];
    return { ...common, code: code ?? `status-${status}`, detail: (detail ?? body).trim() };
  }
  const { code, detail, errors, winner } = Object(body);
  return {
    ...common,
    code: typeof code === 'string' ? code : `status-${status}`,
    detail: typeof detail === 'string' ? detail : '',
    faults: Array.isArray(errors) ? errors.map(faultOf) : [],
    winner: typeof winner === 'string' ? winner : undefined,
  };
}

function faultOf(error: unknown): { readonly path: string; readonly text: string } {
  const { path, text } = Object(error);
  return { path: String(path ?? ''), text: String(text ?? '') };
}
