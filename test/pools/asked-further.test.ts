import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { offersOf, openClient, reasonsOf, type Reply } from '../harness/client.ts';
import { startTestService, type TestService } from '../harness/service.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
const destination = {
  runner: 'process',
  'task-types': ['executable'],
  cores: 400,
  memory: '800GiB',
  scratch: '8000GiB',
};
const SITE = {
  rules: ['rules.yml'],
  quotas: [],
  offers: {
    lifetime: 'PT10M',
    duration: 'PT1H',
    'start-window': 'PT10M',
    release: 'PT30S',
    'max-offers': 1,
  },
  identity: { tokens: [{ sha256: sha256('ada'), user: 'ada@example.org', roles: [] }] },
  destinations: { best: destination, last: destination },
};
/** Of the best destination the rules say no for a reason of their own. */
const RULES = {
  global: { resource_pool_store: { class: 'execution-planner' } },
  tools: { '.*': { scheduling: { accept: ['general'], prefer: ['good'] } } },
  destinations: {
    best: {
      runner: 'process',
      scheduling: { accept: ['general', 'good'] },
      rules: [{ if: 'True', fail: 'closed today' }],
    },
    last: { runner: 'process', scheduling: { accept: ['general'] } },
  },
  pools: { everything: { max_concurrent_cores: 32 } },
};
function ask(cores: number): string {
  return `{
  task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}},
  resources: {compute: [{min-cores: ${cores}, max-cores: ${cores}, min-memory: 1Gb, max-memory: 1Gb}]}}`;
}

describe('a resource pool, where the destinations that are asked first refuse the task', () => {
  let service: TestService;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    service = await startTestService(SITE, RULES);
    send = openClient(service.url);
  });
  afterAll(() => service.close());
  const asks = (path: string, cores: number): Promise<Reply> =>
    send(path, { token: 'ada', body: ask(cores) });

  test('holds what a later one takes, and bounds it, in a dry run too', async () => {
    expect(offersOf(await asks('/request', 20)).length).toBeGreaterThan(0);
    expect(await service.db.database.resourcePoolUse.count()).toBe(1);
    expect(Object((await asks('/request?dry-run=true', 16)).document['response']).result).toBe(
      'NO',
    );
    expect(reasonsOf(await asks('/request', 16))).toMatchObject([
      { code: 'pool-full', asked: 16, limit: 32 },
    ]);
    expect(reasonsOf(await asks('/request', 40))).toMatchObject([{ code: 'pool-exceeded' }, {}]);
  });
});
