import createClient, { defaultPathSerializer } from 'openapi-fetch';
import type { Paths } from '../contract.ts';
import { requireIdentifier } from './address.ts';
import type { Connection } from './connection.ts';
import { changeOutcome, type Outcome } from './outcome.ts';

/** The requests of the contract, answered in JSON. */
export type Requests = {
  /** by their paths and methods, with types of the contract */
  readonly api: ReturnType<typeof createClient<Paths, 'application/json'>>;
  /** Sends a form, as the paths below `/jobs` want it. */
  readonly sendForm: (place: string, fields: Fields) => Promise<Outcome<true>>;
  /** Removes what is at this address. @param query parameters of the address */
  readonly remove: (place: string, query?: Fields) => Promise<Outcome<true>>;
};

type Fields = Readonly<Record<string, string>>;

/** Redirects tell that a job has changed; nobody downloads where they lead. */
const USUAL = { headers: { Accept: 'application/json' }, redirect: 'manual' } as const;

export function openRequests({ url, fetch }: Pick<Connection, 'url' | 'fetch'>): Requests {
  const send = (place: string, more: RequestInit): Promise<Outcome<true>> =>
    changeOutcome(fetch(new Request(place, { ...USUAL, ...more })));
  return {
    api: createClient<Paths, 'application/json'>({ ...USUAL, baseUrl: url, fetch, pathSerializer }),
    sendForm: (place, fields) => send(place, { method: 'POST', body: new URLSearchParams(fields) }),
    remove: (place, query = {}) => {
      const text = String(new URLSearchParams(query));
      return send(text === '' ? place : `${place}?${text}`, { method: 'DELETE' });
    },
  };
}

/** @throws TypeError a parameter that would lead elsewhere */
function pathSerializer(path: string, parameters: Readonly<Record<string, unknown>>): string {
  Object.values(parameters).forEach((name) => requireIdentifier(String(name)));
  return defaultPathSerializer(path, parameters);
}
