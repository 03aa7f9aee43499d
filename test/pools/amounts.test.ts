import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { offersOf, openClient, reasonsOf, type Reply } from '../harness/client.ts';
import { contractFaults } from '../harness/contract.ts';
import { startTestService, type TestService } from '../harness/service.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
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
  tools: {
    '.*': {
      rules: [
        { if: 'helpers.get_tool_resource_field(tool, "cores") == 6', mem: '1.5e308' },
        { if: 'helpers.get_tool_resource_field(tool, "cores") == 7', cores: '1.5e308' },
      ],
    },
  },
  destinations: { a: { runner: 'process', max_mem: 4, max_cores: 8 } },
  pools: { everything: { max_concurrent_cores: 32 } },
};
function ask(cores: number): string {
  return `{
  task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}},
  resources: {compute: [{min-cores: ${cores}, min-memory: 1Gb}]}}`;
}

describe('a resource pool and amounts that rules give', () => {
  let service: TestService;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    service = await startTestService(SITE, RULES);
    send = openClient(service.url);
  });
  afterAll(() => service.close());
  const asks = async (cores: number): Promise<Reply> => {
    const reply = await send('/request', { token: 'ada', body: ask(cores) });
    expect(contractFaults('AnswerBody', reply.document)).toEqual([]);
    return reply;
  };

  test('takes the largest number where it sets no bound for it, however often', async () => {
    for (const cores of [6, 6, 6]) expect(offersOf(await asks(cores))).toHaveLength(1);
    const { document } = await send('/calendar', { token: 'ada' });
    expect(contractFaults('CalendarBody', document)).toEqual([]);
    expect(document).toMatchObject({ calendar: { pools: [{ tasks: 3, cores: 18 }] } });
  });

  test('never takes the largest number where it sets a bound, and says so', async () => {
    expect(reasonsOf(await asks(7))).toMatchObject([
      { code: 'pool-exceeded', needed: expect.any(Number), limit: 32 },
    ]);
  });
});
