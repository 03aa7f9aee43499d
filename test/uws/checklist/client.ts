import { expect } from '@jest/globals';
import { hasSchema, openSchema } from '../clients/schema.ts';
import { openWorker, type Answer, type Worker } from '../clients/worker.ts';

type Init = NonNullable<Parameters<Worker['ask']>[1]>;

/**
 * A worker whose every XML document is held against UWS.xsd as it is served (where
 * the schema is there), and whose every redirect must be 303 to an absolute URL below
 * the base that the client used.
 */
export async function openChecked(settings: Parameters<typeof openWorker>[0] = {}) {
  const worker = await openWorker(settings);
  const problemsIn = hasSchema ? openSchema() : () => '';
  const ask = async (target: string, init: Init = {}): Promise<Answer> => {
    const answer = await worker.ask(target, init);
    const type = answer.headers.get('content-type') ?? '';
    if (answer.status === 200 && type.startsWith('application/xml') && answer.text !== '') {
      expect({ target, problems: problemsIn(answer.text) }).toEqual({ target, problems: '' });
    }
    if (answer.status >= 300 && answer.status < 400) {
      expect([
        target,
        answer.status,
        answer.headers.get('location')?.startsWith(worker.root),
      ]).toEqual([target, 303, true]);
    }
    expect([target, answer.headers.get('cache-control')]).toEqual([target, 'no-store']);
    return answer;
  };
  const value = async (target: string): Promise<string> => (await ask(target)).text;
  /** First text of an element of the job's document. */
  const element = async (id: string, name: string): Promise<string | undefined> =>
    new RegExp(`<uws:${name}[^>/]*>([^<]*)<`).exec(await value(`/${id}`))?.[1];
  const goesTo = async (place: string, target: string, init: Init): Promise<void> => {
    const { status, headers, text } = await ask(target, init);
    expect([target, status, headers.get('location') ?? text]).toEqual([target, 303, place]);
  };
  const ids = async (query: string, as?: string): Promise<readonly string[]> => {
    const { status, text } = await ask(query, as === undefined ? {} : { as });
    expect([query, status]).toEqual([query, 200]);
    return [...text.matchAll(/<uws:jobref id="([^"]+)"/g)].map(([, id = '']) => id);
  };
  return {
    ...worker,
    databaseUrl: worker.url,
    ask,
    value,
    element,
    goesTo,
    ids,
    url: (id: string): string => `${worker.jobs}/${id}`,
  };
}
export type Checked = Awaited<ReturnType<typeof openChecked>>;
