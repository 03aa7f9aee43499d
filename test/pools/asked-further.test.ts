import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../harness/client.ts';
import { serveTests } from '../harness/serve.ts';
import { tokenOf } from '../harness/site.ts';
import { LARGE, offerTerms } from './site.ts';

const SITE = {
  rules: ['rules.yml'],
  quotas: [],
  offers: offerTerms(1),
  identity: { tokens: [tokenOf('ada')] },
  destinations: { best: LARGE, last: LARGE },
};
/** The rules refuse the best destination for another reason. */
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
  const service = serveTests(SITE, RULES);
  const { send } = service;
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
