import type { JobDocument } from './contract.ts';
import { dataOf, errorOf, JobAborted, JobFailed } from './errors.ts';
import type { Connection } from './http/connection.ts';
import { outcomeOf } from './http/outcome.ts';
import type { Requests } from './http/requests.ts';
import { isPassing, troubleIn, unreachable } from './http/trouble.ts';
import { Result } from './results.ts';
import { followLog, linesOf } from './streams/log.ts';
import { readingsOf, type WaitTerms } from './wait.ts';
import { isActive, type WaitQuery } from './watch.ts';

type Terms = { readonly signal?: AbortSignal | undefined };
/** Why, for the audit trail. */
type WhyTerms = { readonly why?: string | undefined };

/** The job of an accepted offer. */
export class Job {
  readonly id: string;
  readonly url: string;
  readonly #connection: Connection;
  readonly #requests: Requests;
  #document: JobDocument | undefined;

  constructor(id: string, connection: Connection, requests: Requests) {
    this.id = id;
    this.url = connection.placeOf('jobs', id);
    this.#connection = connection;
    this.#requests = requests;
  }

  /** As it was read last; undefined: not yet. */
  get document(): JobDocument | undefined {
    return this.#document;
  }

  /** Reads it as it is now. */
  async read({ signal }: Terms = {}): Promise<JobDocument> {
    this.#document = await dataOf(this.#look({}, signal), signal);
    return this.#document;
  }

  /** The job at each change, to its end. @throws WaitTimeout */
  async *watch(terms: WaitTerms = {}): AsyncGenerator<JobDocument, void> {
    for await (const document of readingsOf((...more) => this.#look(...more), terms)) {
      this.#document = document;
      yield document;
    }
  }

  /**
   * Waits for its end.
   *
   * @throws WaitTimeout it goes on; JobFailed and JobAborted, unless `check` is false
   */
  async wait({
    check = true,
    ...terms
  }: WaitTerms & { readonly check?: boolean } = {}): Promise<JobDocument> {
    let last: JobDocument | undefined;
    for await (const document of this.watch(terms)) last = document;
    last ??= await this.read(terms);
    if (!check || (last.phase !== 'ERROR' && last.phase !== 'ABORTED')) return last;
    const text = last.errorSummary === null ? '' : await this.error(terms);
    throw last.phase === 'ABORTED' ? new JobAborted(last, text) : new JobFailed(last, text);
  }

  /** The lines of a log as they come, to the end of the job: `stdout`, `stderr`. */
  follow(log = 'stdout', terms: Terms = {}): AsyncGenerator<string, void> {
    return linesOf(this.followText(log, terms));
  }

  /** The same with line ends and carriage returns, so that progress bars can be drawn over. */
  followText(log = 'stdout', { signal }: Terms = {}): AsyncGenerator<string, void> {
    return followLog(this.#connection, this.#placeOf('results', log), {
      signal,
      mayCome: () => this.#mayWrite(log, signal),
    });
  }

  /** Its results by their names; none before its end. */
  async results(terms?: Terms): Promise<ReadonlyMap<string, Result>> {
    const { results } = await this.read(terms);
    return new Map(
      results.map((result) => [
        result.id,
        new Result(result, this.#placeOf('results', result.id), this.#connection),
      ]),
    );
  }

  /** Why it failed or was stopped. */
  async error({ signal }: Terms = {}): Promise<string> {
    const request = new Request(this.#placeOf('error'), {
      redirect: 'manual',
      ...(signal !== undefined && { signal }),
    });
    const response = await this.#connection.fetch(request);
    if (response.ok) return (await response.text()).trim();
    throw errorOf(await troubleIn(response));
  }

  /** Starts a job that waits for its client. */
  run(): Promise<JobDocument> {
    return this.#change('phase', { PHASE: 'RUN' });
  }

  /** Stops it. The service answers when it is stopped, or after two seconds. */
  abort({ why }: WhyTerms = {}): Promise<JobDocument> {
    return this.#change('phase', { PHASE: 'ABORT', ...(why !== undefined && { WHY: why }) });
  }

  /** Changes until when its results are kept; the site has a limit. */
  keepUntil(time: Date): Promise<JobDocument> {
    return this.#change('destruction', { DESTRUCTION: time.toISOString() });
  }

  /** Stops it if it runs, and removes it and its results. */
  async delete({ why }: WhyTerms = {}): Promise<void> {
    const query: Readonly<Record<string, string>> = why === undefined ? {} : { WHY: why };
    const outcome = await this.#requests.remove(this.url, query);
    await dataOf(outcome);
    // A browser does not show whether this redirect is the service's, or leads to a sign-in.
    if (outcome.ok && outcome.response.type === 'opaqueredirect') await this.#miss();
  }

  async #change(part: string, fields: Readonly<Record<string, string>>): Promise<JobDocument> {
    await dataOf(this.#requests.sendForm(this.#placeOf(part), fields));
    return this.read();
  }

  /** @throws PlannerError the job cannot be looked for */
  async #miss(): Promise<void> {
    const outcome = await this.#look({});
    if (!outcome.ok && outcome.trouble.status !== 404) await dataOf(outcome);
  }

  #look(query: WaitQuery, signal?: AbortSignal) {
    const params = { path: { job: this.id }, query };
    return outcomeOf(
      this.#requests.api.GET('/jobs/{job}', { params, ...(signal !== undefined && { signal }) }),
      'results',
    );
  }

  /** A job that is over without this log, although it has run, will never have it. @throws PlannerError */
  async #mayWrite(log: string, signal: AbortSignal | undefined): Promise<boolean> {
    const outcome = await this.#look({}, signal);
    signal?.throwIfAborted();
    if (!outcome.ok && isPassing(outcome.trouble)) return true;
    const now = await dataOf(outcome);
    if (isActive(now) || now.startTime === null) return isActive(now);
    if (now.results.some(({ id }) => id === log)) return true;
    const detail = `The job has no log ${JSON.stringify(log)}.`;
    throw errorOf({ ...unreachable, status: 404, code: 'result-unknown', detail });
  }

  #placeOf(...parts: readonly string[]): string {
    return this.#connection.placeOf('jobs', this.id, ...parts);
  }
}
