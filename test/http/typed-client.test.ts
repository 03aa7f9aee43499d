import { describe, expect, test } from '@jest/globals';
import createClient from 'openapi-fetch';
import type { components, paths } from '../../src/generated/api.d.ts';
import { serveTests } from '../harness/serve.ts';
import { SMALL_RULES, SMALL_SITE } from '../harness/site.ts';

type Schemas = components['schemas'];

const TASK = {
  type: 'https://www.purl.org/ivoa-net/task-type/executable',
  spec: { command: ['sort'] },
};

/** The four kinds of answer. The compiler tells them apart without a cast. */
function told(answer: Schemas['Answer']): string {
  if ('dry-run' in answer)
    return answer.result === 'YES'
      ? `would be YES: ${answer.offers.map(({ status }) => status).join()}`
      : `would be NO: ${answer.reasons.map(({ code }) => code).join()}`;
  return answer.result === 'YES'
    ? `YES: ${answer.offers.map(({ ident }) => ident.length).join()}`
    : `NO: ${answer.explain.length > 0} ${answer.reasons.map(({ code }) => code).join()}`;
}

describe('a client with the types of the contract', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);
  const open = () =>
    createClient<paths, 'application/json'>({
      baseUrl: service.url,
      headers: { Accept: 'application/json' },
    });

  test('tells the four kinds of answer apart', async () => {
    const client = open();
    const ask = async (cores: number, dry: boolean): Promise<string> => {
      const { data } = await client.POST('/request', {
        params: { query: { 'dry-run': dry } },
        body: { task: TASK, resources: { compute: [{ 'min-cores': cores }] } },
      });
      return data === undefined ? 'refused' : told(data.response);
    };
    expect(await ask(1, false)).toMatch(/^YES: 36/);
    expect(await ask(1, true)).toMatch(/^would be YES: PROPOSED/);
    expect(await ask(99, false)).toBe('NO: true above-capacity');
    expect(await ask(99, true)).toBe('would be NO: above-capacity');
  });

  test('reads a job and the list of jobs as documents, because it chose JSON', async () => {
    const client = open();
    const { data } = await client.POST('/request', { body: { task: TASK } });
    const ident =
      data?.response.result === 'YES' && !('dry-run' in data.response)
        ? (data.response.offers[0]?.ident ?? '')
        : '';
    await client.POST('/offers/{ident}', {
      params: { path: { ident } },
      body: { status: 'ACCEPTED', start: 'client' },
    });
    const { data: job } = await client.GET('/jobs/{job}', { params: { path: { job: ident } } });
    expect([job?.phase, job?.jobInfo.session.destination]).toEqual(['PENDING', 'a']);
    const { data: list } = await client.GET('/jobs');
    expect(list?.jobs.map(({ id }) => id)).toEqual([ident]);
  });
});
