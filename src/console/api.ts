import { signal } from '@preact/signals';
import createClient from 'openapi-fetch';
import type { paths } from '../generated/api.d.ts';
import { troubleOf, unreachable, type Trouble } from './trouble.ts';

/** What the service said to a request. */
export type Outcome<T> =
  | { readonly ok: true; readonly data: T; readonly response: Response }
  | { readonly ok: false; readonly trouble: Trouble };

/** The service's address without a final slash: the page may lie below a path. */
export const BASE = new URL('.', location.href).href.replace(/\/$/, '');

const JSON_WANTED = { Accept: 'application/json' };

/** How often the service did not take the client's credential: its sign-in may have ended. */
export const denials = signal(0);

/** Requests of the contract, answered in JSON. */
export const api = createClient<paths, 'application/json'>({
  baseUrl: BASE,
  headers: JSON_WANTED,
  fetch: noted,
});

/** Waits for an answer; a service that cannot be reached is an outcome, too. */
export async function outcomeOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Outcome<T>> {
  try {
    const { data, error, response } = await call;
    return data === undefined
      ? { ok: false, trouble: troubleOf(response, error) }
      : { ok: true, data, response };
  } catch {
    return { ok: false, trouble: unreachable };
  }
}

/** The address of something below the service, for links, frames and streams. */
export function placeOf(...parts: readonly string[]): string {
  return `${BASE}/${parts.map(encodeURIComponent).join('/')}`;
}

/** Sends a form, as the paths below `/jobs` want it. */
export async function sendForm(
  place: string,
  fields: Readonly<Record<string, string>>,
): Promise<Outcome<true>> {
  const body = new URLSearchParams(fields);
  return changed(noted(place, { method: 'POST', body, headers: JSON_WANTED }));
}

/** Removes what is at this address. @param query parameters of the address */
export async function remove(
  place: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Outcome<true>> {
  const address =
    Object.keys(query).length === 0 ? place : `${place}?${new URLSearchParams(query)}`;
  return changed(noted(address, { method: 'DELETE', headers: JSON_WANTED }));
}

/** Sends a request, and notes whether its credential is taken. */
async function noted(request: Request | string, options?: RequestInit): Promise<Response> {
  const response = await fetch(request, options);
  if (response.status === 401) denials.value += 1;
  return response;
}

async function changed(call: Promise<Response>): Promise<Outcome<true>> {
  try {
    const response = await call;
    return response.ok
      ? { ok: true, data: true, response }
      : { ok: false, trouble: troubleOf(response, bodyOf(await response.text())) };
  } catch {
    return { ok: false, trouble: unreachable };
  }
}

/** A problem document, or the text that refusals below `/jobs` are. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
