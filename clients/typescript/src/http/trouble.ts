/** Why something did not work. */
export type Trouble = {
  /** status of HTTP; 0 without an answer */
  readonly status: number;
  /** the service's code; `unreachable` without an answer */
  readonly code: string;
  readonly detail: string;
  /** places of the request and what is wrong there */
  readonly errors: readonly { readonly path: string; readonly text: string }[];
  /** seconds after which the service wants to be asked again */
  readonly retryAfter: number | undefined;
  /** the offer that was accepted instead */
  readonly winner: string | undefined;
  /** the service's name of the request, for its administrators */
  readonly requestId: string | undefined;
};

type Head = Pick<Response, 'status' | 'headers'>;

/** The service did not answer. */
export const unreachable: Trouble = {
  status: 0,
  code: 'unreachable',
  detail: '',
  errors: [],
  retryAfter: undefined,
  winner: undefined,
  requestId: undefined,
};

/** A page to sign in, which a proxy sends, is no document, and other services have others. */
export const noPlanner: Trouble = {
  ...unreachable,
  code: 'not-a-planner',
  detail: 'The answer is no document of a planner: is the URL right?',
};

/**
 * Reads a refusal: a problem document, or below `/jobs` a text that begins with the code.
 *
 * @param body the document, or the text of the answer
 */
export function troubleOf({ status, headers }: Head, body: unknown): Trouble {
  const common = {
    ...unreachable,
    status,
    code: codeOf(status),
    retryAfter: retryAfterOf(headers),
    requestId: headers.get('x-request-id') ?? undefined,
  };
  if (typeof body === 'string') {
    const [, code = common.code, detail = body] = /^([a-z][a-z-]+): ([\s\S]*)$/.exec(body) ?? [];
    return { ...common, code, detail: detail.trim() };
  }
  const { code, detail, errors, winner } = Object(body);
  return {
    ...common,
    ...(typeof code === 'string' && { code }),
    ...(typeof detail === 'string' && { detail }),
    ...(Array.isArray(errors) && { errors: errors.map(faultOf) }),
    ...(typeof winner === 'string' && { winner }),
  };
}

/** Reads the refusal that an answer has. */
export async function troubleIn(response: Response): Promise<Trouble> {
  return troubleOf(response, parsed(await response.text().catch(() => '')));
}

/** May the same request work later? Without an answer it may, too. */
export function isPassing({ status, code }: Pick<Trouble, 'status' | 'code'>): boolean {
  return (status === 0 && code !== 'redirected') || status === 429 || status >= 500;
}

/** Seconds after which the service wants to be asked again, whatever the client's clock says. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const seconds = (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Only a browser gives a status of 0 to an answer: to a redirect that it does not follow. */
function codeOf(status: number): string {
  return status === 0 || (status >= 300 && status < 400) ? 'redirected' : `status-${status}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function faultOf(error: unknown): { readonly path: string; readonly text: string } {
  const { path, text } = Object(error);
  return { path: String(path ?? ''), text: String(text ?? '') };
}
