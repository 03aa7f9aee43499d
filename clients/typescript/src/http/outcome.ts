import { noPlanner, troubleIn, troubleOf, unreachable, type Trouble } from './trouble.ts';

/** What the service said to a request. */
export type Outcome<T> =
  | { readonly ok: true; readonly data: T; readonly response: Response }
  /** `cause`: why there was no answer */
  | { readonly ok: false; readonly trouble: Trouble; readonly cause?: unknown };

/** The service answers a change with this or with a redirect, a page to sign in is 200. */
const NO_CONTENT = 204;

/**
 * Waits for an answer with a document; a service that cannot be reached is an outcome, too.
 *
 * @param key of a part that the document of every planner has
 */
export async function outcomeOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
  key?: keyof T,
): Promise<Outcome<T>> {
  try {
    const { data, error, response } = await call;
    if (key !== undefined && response.ok && !hasPart(data, key))
      return { ok: false, trouble: { ...noPlanner, status: response.status } };
    return data === undefined
      ? { ok: false, trouble: troubleOf(response, error) }
      : { ok: true, data, response };
  } catch (cause) {
    return { ok: false, trouble: unreachable, cause };
  }
}

/**
 * Waits for the answer to a change. Below `/jobs` it is a redirect, which nobody has to follow; a
 * browser does not show where it leads.
 */
export async function changeOutcome(call: Promise<Response>): Promise<Outcome<true>> {
  try {
    const response = await call;
    if (response.ok && response.status !== NO_CONTENT)
      return { ok: false, trouble: { ...noPlanner, status: response.status } };
    return response.ok || response.status === 303 || response.type === 'opaqueredirect'
      ? { ok: true, data: true, response }
      : { ok: false, trouble: await troubleIn(response) };
  } catch (cause) {
    return { ok: false, trouble: unreachable, cause };
  }
}

/** Other services answer in JSON, too. */
function hasPart(document: unknown, key: PropertyKey): boolean {
  const part: unknown = Object(document)[key];
  return Object(part) === part;
}
