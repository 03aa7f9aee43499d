import { Administration } from './administration.ts';
import type { Ask, Documents, ListedJob, Offer } from './contract.ts';
import { dataOf, errorOf } from './errors.ts';
import { identIn } from './http/address.ts';
import { openConnection, type Connection, type ConnectionOptions } from './http/connection.ts';
import { newKey } from './http/key.ts';
import { outcomeOf } from './http/outcome.ts';
import { openRequests, type Requests } from './http/requests.ts';
import { troubleIn } from './http/trouble.ts';
import { Job } from './job.ts';
import { answerOf, checkOf, noted, type Answer, type Check } from './offers.ts';
import { itemsOf } from './pages.ts';
import type { Change } from './streams/change.ts';
import { followChanges } from './streams/changes.ts';
import type {
  AskFilter,
  AskTerms,
  CalendarTerms,
  CheckTerms,
  JobFilter,
  OfferFilter,
  Terms,
  UpdateTerms,
} from './terms.ts';

/** Opens a client of a service. Nothing is sent yet. @param url where the service is */
export function openPlanner(url: string, options: ConnectionOptions = {}): Planner {
  return new Planner(url, options);
}

/** A client of a service. Its calls throw `PlannerError` where the service refuses. */
export class Planner {
  /** the service's address without a final slash */
  readonly url: string;
  /** all requests of the contract by their paths, for what is not below */
  readonly api: Requests['api'];
  /** what administrators do */
  readonly admin: Administration;
  readonly #connection: Connection;
  readonly #requests: Requests;

  constructor(url: string, options: ConnectionOptions = {}) {
    this.#connection = openConnection(url, options);
    this.#requests = openRequests(this.#connection);
    this.url = this.#connection.url;
    this.api = this.#requests.api;
    this.admin = new Administration(this.#requests, this.#connection);
  }

  /** Asks whether the service can execute a task. The offers of a YES are held for some minutes. */
  async ask(ask: Ask, { key = newKey(), nearest, signal }: AskTerms = {}): Promise<Answer> {
    const query = nearest === undefined ? {} : { nearest };
    const params = { query, header: { 'Idempotency-Key': key } };
    const { response } = await this.#data(
      this.api.POST('/request', { body: ask, params, ...given(signal) }),
      'response',
      signal,
    );
    return answerOf(response);
  }

  /** What the answer would be: the service holds and keeps nothing. */
  async check(ask: Ask, { nearest, signal }: CheckTerms = {}): Promise<Check> {
    const query = { 'dry-run': true, ...(nearest !== undefined && { nearest }) };
    const { response } = await this.#data(
      this.api.POST('/request', { body: ask, params: { query }, ...given(signal) }),
      'response',
      signal,
    );
    return checkOf(response);
  }

  /** Accepts an offer. @throws OfferExpired, OfferTaken */
  async accept(
    offer: Offer | string,
    { key = newKey(), start, signal }: UpdateTerms = {},
  ): Promise<Job> {
    const ident = identOf(offer);
    const params = { path: { ident }, header: { 'Idempotency-Key': key } };
    const body = { status: 'ACCEPTED' as const, ...(start !== undefined && { start }) };
    const call = this.api.POST('/offers/{ident}', { params, body, ...given(signal) });
    await this.#data(call, 'offer', signal);
    return this.job(ident);
  }

  /** Gives an offer back, so that others can have its room. */
  async reject(offer: Offer | string, { why }: { readonly why?: string } = {}): Promise<Offer> {
    const params = { path: { ident: identOf(offer) } };
    const body = { status: 'REJECTED' as const, ...(why !== undefined && { why }) };
    return noted(
      (await this.#data(this.api.POST('/offers/{ident}', { params, body }), 'offer')).offer,
    );
  }

  /** An offer as it is now. */
  async offer(ident: string, { signal }: Terms = {}): Promise<Offer> {
    const params = { path: { ident } };
    const call = this.api.GET('/offers/{ident}', { params, ...given(signal) });
    return noted((await this.#data(call, 'offer', signal)).offer);
  }

  /** Your offers, those of the latest ask first. */
  offers({ signal, ...filter }: OfferFilter & Terms = {}): AsyncGenerator<Offer, void> {
    return itemsOf(async (after) => {
      const { status, destination, ...more } = filter;
      const query = {
        ...more,
        ...(status !== undefined && { status: [...status] }),
        ...(destination !== undefined && { destination: [...destination] }),
        ...(after !== undefined && { after }),
      };
      const call = this.api.GET('/offers', { params: { query }, ...given(signal) });
      const { offers, next } = await this.#data(call, 'offers', signal);
      return { rows: offers.map(noted), next };
    });
  }

  /** What you have asked, the latest first. */
  asks({ signal, ...filter }: AskFilter & Terms = {}): AsyncGenerator<
    Documents['ListedAsk'],
    void
  > {
    return itemsOf(async (after) => {
      const query = { ...filter, ...(after !== undefined && { after }) };
      const call = this.api.GET('/asks', { params: { query }, ...given(signal) });
      const { asks, next } = await this.#data(call, 'asks', signal);
      return { rows: asks, next };
    });
  }

  /** An ask with its answer as it is now. @param ident of the answer */
  async asked(ident: string, { signal }: Terms = {}): Promise<Documents['AskRecord']> {
    const params = { path: { ident } };
    const call = this.api.GET('/asks/{ident}', { params, ...given(signal) });
    return (await this.#data(call, 'ask', signal)).ask;
  }

  /**
   * The job of an accepted offer. Nothing is sent.
   *
   * @param job its id or its address, under any name of the service
   */
  job(job: string): Job {
    return new Job(identIn(job, 'jobs', this.url), this.#connection, this.#requests);
  }

  /** Your jobs, the newest first. */
  jobs({ signal, limit = 100, ...filter }: JobFilter & Terms = {}): AsyncGenerator<
    ListedJob,
    void
  > {
    return itemsOf(async (cursor) => {
      const { phase, destination, name, after, before, endedAfter, owner } = filter;
      const query = {
        LIMIT: limit,
        ...(phase !== undefined && { PHASE: [...phase] }),
        ...(destination !== undefined && { DESTINATION: [...destination] }),
        ...(name !== undefined && { NAME: name }),
        ...(after !== undefined && { AFTER: after.toISOString() }),
        ...(before !== undefined && { BEFORE: before.toISOString() }),
        ...(endedAfter !== undefined && { ENDEDAFTER: endedAfter.toISOString() }),
        ...(owner !== undefined && { OWNER: owner }),
        ...(cursor !== undefined && { CURSOR: cursor }),
      };
      const call = this.api.GET('/jobs', { params: { query }, ...given(signal) });
      const { jobs, next } = await this.#data(call, 'jobs', signal);
      return { rows: jobs, next };
    });
  }

  /** What is free, held and firm over time. */
  async calendar({ from, to, destination, mine, signal }: CalendarTerms & Terms = {}): Promise<
    Documents['Calendar']
  > {
    const query = {
      ...(from !== undefined && { from: from.toISOString() }),
      ...(to !== undefined && { to: to.toISOString() }),
      ...(destination !== undefined && { destination: [...destination] }),
      ...(mine !== undefined && { mine }),
    };
    const call = this.api.GET('/calendar', { params: { query }, ...given(signal) });
    return (await this.#data(call, 'calendar', signal)).calendar;
  }

  /** How the service came to an answer. @param ident of the answer or of one of its offers */
  async explain(ident: string, { signal }: Terms = {}): Promise<Documents['Explanation']> {
    const terms = { params: { path: { ident } }, ...given(signal) };
    const found = await outcomeOf(this.api.GET('/asks/{ident}/explain', terms), 'explanation');
    if (found.ok || found.trouble.status !== 404) return (await dataOf(found, signal)).explanation;
    const call = this.api.GET('/offers/{ident}/explain', terms);
    return (await this.#data(call, 'explanation', signal)).explanation;
  }

  /** The same as text for readers. */
  async explainText(ident: string, { signal }: Terms = {}): Promise<string> {
    const read = (list: 'asks' | 'offers'): Promise<Response> =>
      this.#connection.fetch(
        new Request(this.#connection.placeOf(list, ident, 'explain'), {
          // Without JSON a refusal would be YAML, which no browser reads.
          headers: { Accept: 'text/plain, application/json;q=0.5' },
          redirect: 'manual',
          ...given(signal),
        }),
      );
    const first = await read('asks');
    const response = first.status === 404 ? await read('offers') : first;
    if (response.ok) return response.text();
    throw errorOf(await troubleIn(response));
  }

  /** Who you are for the service, and what is left of your quotas. */
  async me({ signal }: Terms = {}): Promise<Documents['Me']> {
    return (await this.#data(this.api.GET('/me', given(signal)), 'me', signal)).me;
  }

  /** What everybody may know of the site before asking. */
  async site({ signal }: Terms = {}): Promise<Documents['Site']> {
    return (await this.#data(this.api.GET('/site', given(signal)), 'site', signal)).site;
  }

  /** The interpreters of Python that destinations have, with what is installed in them. */
  async environments({ signal }: Terms = {}): Promise<readonly Documents['Environment'][]> {
    return (await this.#data(this.api.GET('/environments', given(signal)), 'environments', signal))
      .environments;
  }

  /** Changes of your offers and jobs as they come, without end. */
  events({ signal }: Terms = {}): AsyncGenerator<Change, void> {
    return followChanges(this.#connection, { signal });
  }

  #data<T>(
    call: Promise<{ data?: T; error?: unknown; response: Response }>,
    key: keyof T,
    signal?: AbortSignal,
  ): Promise<T> {
    return dataOf(outcomeOf(call, key), signal);
  }
}

function identOf(offer: Offer | string): string {
  return typeof offer === 'string' ? offer : offer.ident;
}

function given(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
