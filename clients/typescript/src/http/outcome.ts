import { troubleIn, troubleOf, unreachable, type Trouble } from './trouble.ts';

/** What the service said to a request. */
export type Outcome<T> =
  | { readonly ok: true; readonly data: T; readonly response: Response }
  /** `cause`: why there was no answer */
  | { readonly ok: false; readonly trouble: Trouble; readonly cause?: unknown };

/** Waits for an answer with a document; a service that cannot be reached is an outcome, too. */
export async function outcomeOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Outcome<T>> {
  try {
    const { data, error, response } = await call;
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
    return response.ok || response.status === 303 || response.type === 'opaqueredirect'
      ? { ok: true, data: true, response }
      : { ok: false, trouble: await troubleIn(response) };
  } catch (cause) {
    return { ok: false, trouble: unreachable, cause };
  }
}
