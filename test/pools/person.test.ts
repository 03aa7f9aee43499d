import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { offersOf, openClient, reasonsOf, type Reply } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';

function token(name: string) {
  return {
    sha256: createHash('sha256').update(name).digest('hex'),
    user: `${name}@example.org`,
    roles: [],
  };
}
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
  offers: {
    lifetime: 'PT10M',
    duration: 'PT1H',
    'start-window': 'PT10M',
    release: 'PT30S',
    'max-offers': 1,
  },
  identity: { tokens: [token('ada'), token('lovelace'), token('bob')] },
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 400,
      memory: '800GiB',
      scratch: '8000GiB',
    },
  },
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
  let service: TestService;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    service = await startTestService(SITE, RULES);
    send = openClient(service.url);
  });
  afterAll(() => service.close());
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
