import { expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../harness/client.ts';
import { serveTests } from '../harness/serve.ts';
import { gpusOf, processDestination, tokenOf } from '../harness/site.ts';

const GPU = 'urn:gpu:a100';
const SITE = {
  rules: ['rules.yml'],
  offers: { duration: 'PT1H', 'start-window': 'PT10M', release: 'PT30S', prepare: 'PT1H' },
  identity: { tokens: [tokenOf('ada'), tokenOf('bob')] },
  quotas: [
    { for: 'user', name: 'ada@example.org', 'gpu-hours': 5 },
    { for: 'user', name: 'bob@example.org', 'gpu-hours': 4 },
  ],
  destinations: { here: processDestination(gpusOf({ [GPU]: 8 })) },
};
const RULES = { destinations: { here: { runner: 'process', max_accepted_gpus: 8 } } };
const ASK =
  '{task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}, ' +
  `resources: {compute: [{min-cores: 1, max-cores: 1, gpu: {type: "${GPU}", count: 2}}]}}`;

/** Two GPUs for the hour of the run, an hour to prepare, the start window and the release. */
const HOURS = 2 * (1 + 1 + 630 / 3600);

const service = serveTests(SITE, RULES);

test('GPU hours count the preparation of an offer, so that no accept exceeds a quota', async () => {
  const used = async (): Promise<unknown> => {
    const { document } = await service.send('/me', { token: 'ada' });
    return Object(document['me']).quotas[0].used;
  };
  const [offer] = offersOf(await asks('ada'));
  expect(await used()).toBeCloseTo(HOURS, 2);
  await service.send(offer?.href ?? '', { token: 'ada', body: 'status: ACCEPTED' });
  expect(await used()).toBeCloseTo(HOURS, 2);
  expect(reasonsOf(await asks('bob'))).toMatchObject([
    { code: 'quota-exceeded', asked: HOURS, limit: 4 },
  ]);
});

function asks(token: string): Promise<Reply> {
  return service.send('/request', { token, body: ASK });
}
