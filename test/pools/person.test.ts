import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../harness/client.ts';
import { serveTests } from '../harness/serve.ts';
import { tokenOf } from '../harness/site.ts';
import { LARGE, offerTerms } from './site.ts';

const SITE = {
  rules: ['rules.yml'],
  quotas: [
    {
      for: 'user',
      name: 'Ada',
      identities: ['user:ada@example.org', 'user:lovelace@example.org'],
      jobs: 100,
    },
  ],
  offers: offerTerms(1),
  identity: { tokens: [tokenOf('ada'), tokenOf('lovelace'), tokenOf('bob')] },
  destinations: { a: LARGE },
};
const RULES = {
  global: { resource_pool_store: { class: 'execution-planner' } },
  tools: { '.*': { cores: 20 } },
  destinations: { a: { runner: 'process' } },
  pools: { everything: { max_concurrent_cores: 32 } },
};
const ASK =
  '{task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: ' +
  '[sort]}}, resources: {compute: [{min-memory: 1Gb}]}}';

describe('a resource pool and a person with several identities', () => {
  const service = serveTests(SITE, RULES);
  const { send } = service;
  const asks = (who: string, path = '/request'): Promise<Reply> =>
    send(path, { token: who, body: ASK });

  test('are one user to it, in asks, dry runs and the calendar', async () => {
    expect(offersOf(await asks('ada'))).toHaveLength(1);
    expect(
      Object((await asks('lovelace', '/request?dry-run=true')).document['response']).result,
    ).toBe('NO');
    expect(reasonsOf(await asks('lovelace'))).toMatchObject([{ code: 'pool-full', limit: 32 }]);
    expect((await send('/calendar', { token: 'lovelace' })).document).toMatchObject({
      calendar: { pools: [{ pool: 'everything', tasks: 1, cores: 20 }] },
    });
    expect(offersOf(await asks('bob'))).toHaveLength(1);
  });
});
