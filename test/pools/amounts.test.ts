import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../harness/client.ts';
import { contractFaults } from '../harness/contract.ts';
import { serveTests } from '../harness/serve.ts';
import { tokenOf } from '../harness/site.ts';
import { LARGE, offerTerms } from './site.ts';

const SITE = {
  rules: ['rules.yml'],
  quotas: [],
  offers: offerTerms(1),
  identity: { tokens: [tokenOf('ada')] },
  destinations: { a: LARGE },
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
  const service = serveTests(SITE, RULES);
  const { send } = service;
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
