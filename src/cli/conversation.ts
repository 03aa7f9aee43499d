import { load } from 'js-yaml';

/** The parts of an offer that a client needs. */
export type SeenOffer = {
  readonly ident: string;
  readonly href: string;
  readonly jobs: string;
  readonly parameters: Readonly<Record<string, string>>;
};

/** The service sent an unexpected answer, which is the message. */
export class UnexpectedAnswer extends Error {}

const yaml = { 'Content-Type': 'application/yaml' };

/** POST /request. @returns the body of the answer */
export async function sendAsk(base: string, question: string): Promise<string> {
  return (
    await fetchText(`${base}/request`, { method: 'POST', headers: yaml, body: question }, [200])
  ).text;
}

/** The first offer of an answer. @throws UnexpectedAnswer on a NO */
export function firstOffer(answer: string): SeenOffer {
  const [offer] = Object(load(answer)).response?.offers ?? [];
  if (offer === undefined) throw new UnexpectedAnswer('the answer is NO');
  return {
    ident: offer.ident,
    href: offer.href,
    jobs: offer.connection.jobs,
    parameters: offer.connection.parameters,
  };
}

/** POST /offers/{ident}. */
export async function sendAccept({ href }: SeenOffer): Promise<string> {
  return (
    await fetchText(
      href,
      { method: 'POST', headers: yaml, body: 'offer: { status: ACCEPTED }' },
      [200],
    )
  ).text;
}

/**
 * Sends the request of the connection details.
 * @returns the job's URL, from the redirect of UWS
 */
export async function sendJob({ jobs, parameters }: SeenOffer): Promise<string> {
  const { response } = await fetchText(
    jobs,
    { method: 'POST', body: new URLSearchParams(parameters), redirect: 'manual' },
    [303],
  );
  return response.headers.get('location') ?? '';
}

const ENDED = new Set(['COMPLETED', 'ERROR', 'ABORTED']);

/** Follows a job with UWS WAIT: one request for each change of phase. */
export async function* followPhases(job: string): AsyncGenerator<string> {
  let phase = '';
  while (!ENDED.has(phase)) {
    const query = phase === '' ? '' : `?WAIT=30&PHASE=${phase}`;
    const { text } = await fetchText(`${job}${query}`, {}, [200]);
    const next = /<uws:phase>(\w+)<\/uws:phase>/.exec(text)?.[1] ?? '';
    if (next !== phase) yield next;
    phase = next;
  }
}

/** A result of a job, by its id. */
export async function fetchResult(job: string, id: string): Promise<string> {
  return (await fetchText(`${job}/results/${id}`, {}, [200])).text;
}

/** A document below a job, such as `results` or `error`. */
export async function fetchPart(job: string, part: string): Promise<string> {
  return (await fetchText(`${job}/${part}`, {}, [200])).text;
}

async function fetchText(
  url: string,
  options: RequestInit,
  expected: readonly number[],
): Promise<{ text: string; response: Response }> {
  const response = await fetch(url, options);
  const text = await response.text();
  if (!expected.includes(response.status))
    throw new UnexpectedAnswer(`${response.status} from ${url}\n${text}`);
  return { text, response };
}
