import { load } from 'js-yaml';

/** What a client of the service needs to know of an offer. */
export type SeenOffer = { readonly ident: string; readonly href: string; readonly jobs: string; readonly parameters: Readonly<Record<string, string>> };

/** The service answered with something else than was expected; the message is what it said. */
export class UnexpectedAnswer extends Error {}

const fetchText = async (url: string, options: RequestInit, expected: readonly number[]): Promise<{ text: string; response: Response }> => {
  const response = await fetch(url, options);
  const text = await response.text();
  if (!expected.includes(response.status)) throw new UnexpectedAnswer(`${response.status} from ${url}\n${text}`);
  return { text, response };
};

const yaml = { 'Content-Type': 'application/yaml' };

/** POST /request. @returns the answer as it came */
export const sendAsk = async (base: string, question: string): Promise<string> =>
  (await fetchText(`${base}/request`, { method: 'POST', headers: yaml, body: question }, [200])).text;

/** The first offer of an answer. @throws UnexpectedAnswer on a NO */
export const firstOffer = (answer: string): SeenOffer => {
  const [offer] = Object(load(answer)).response?.offers ?? [];
  if (offer === undefined) throw new UnexpectedAnswer('the answer is NO');
  return { ident: offer.ident, href: offer.href, jobs: offer.connection.jobs, parameters: offer.connection.parameters };
};

/** POST /offers/{ident}. */
export const sendAccept = async ({ href }: SeenOffer): Promise<string> =>
  (await fetchText(href, { method: 'POST', headers: yaml, body: 'offer: { status: ACCEPTED }' }, [200])).text;

/** The request that the connection details describe. @returns the job's URL, where UWS redirects to */
export const sendJob = async ({ jobs, parameters }: SeenOffer): Promise<string> => {
  const { response } = await fetchText(jobs, { method: 'POST', body: new URLSearchParams(parameters), redirect: 'manual' }, [303]);
  return response.headers.get('location') ?? '';
};

const ENDED = new Set(['COMPLETED', 'ERROR', 'ABORTED']);

/** Follows a job with UWS WAIT: one request for each change of phase, no polling. */
export const followPhases = async function* (job: string): AsyncGenerator<string> {
  let phase = '';
  while (!ENDED.has(phase)) {
    const query = phase === '' ? '' : `?WAIT=30&PHASE=${phase}`;
    const { text } = await fetchText(`${job}${query}`, {}, [200]);
    const next = /<uws:phase>(\w+)<\/uws:phase>/.exec(text)?.[1] ?? '';
    if (next !== phase) yield next;
    phase = next;
  }
};

/** A result of a job, by its id. */
export const fetchResult = async (job: string, id: string): Promise<string> => (await fetchText(`${job}/results/${id}`, {}, [200])).text;

/** The document below a job, such as `results` or `error`. */
export const fetchPart = async (job: string, part: string): Promise<string> => (await fetchText(`${job}/${part}`, {}, [200])).text;
