import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { GENERATIONS, ownExecutable } from '../harness/broker/generations.ts';
import { KINDS, TYPES_V1 } from '../harness/broker/judge.ts';
import { contractFaults } from '../harness/contract.ts';
import { runs } from '../harness/runs.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { documentsOf, withFault } from './from-schema.ts';

/** Documents by chance. */
const RUNS = runs(80);

const SITE = {
  rules: ['rules.yml'],
  quotas: [{ for: 'anonymous', holds: 1_000_000 }],
  costs: [{ type: 'urn:example:credits', core: 1 }],
  storage: [
    { name: 'kept', type: 's3', endpoint: 'http://127.0.0.1:1', bucket: 'b', size: '10TiB' },
  ],
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 64,
      memory: '256GiB',
      scratch: '800GiB',
    },
  },
};
const WORDS = [
  ...['executable', 'python-program', 'gpu'].map((name) => ownExecutable(name).own),
  `${KINDS}executable/docker-container.yaml`,
  `${KINDS}compute/simple-compute-resource.yaml`,
  `${KINDS}storage/simple-storage-resource.yaml`,
  `${KINDS}data/skao-data-resource.yaml`,
  `${KINDS}volume/simple-volume-mount.yaml`,
  `${KINDS}costs/simple-minmax-float-cost.yaml`,
  `${TYPES_V1}data/ivoa-data-resource-1.0`,
  'urn:example:credits',
  'uri:enum-value-update',
  'a machine',
  'stars',
  'PT5M',
  'P1D',
  '1D',
  'P1H',
  '2040-08-10T10:00:00Z/PT30M',
  '2040-08-10T10:00:00Z',
  '2040-08-10/12',
  'https://example.org/stars.fits',
  'sha256:00',
  'GiB',
  'phase',
  'ACCEPTED',
  'CANCELLED',
  'READONLY',
  '__proto__',
  'toString',
  '',
];
const WISH = { executable: ownExecutable('executable'), spec: { command: ['true'] } };
const ASKS = ['/requests', '/offersets', '/direct', '/sessions'];

const requests = fc.oneof(
  documentsOf('BrokerRequest', WORDS),
  ...Object.values(GENERATIONS).map(({ ask }) => withFault(full(ask(WISH)), WORDS)),
);
const updates = fc.oneof(
  documentsOf('BrokerUpdate', WORDS),
  ...Object.values(GENERATIONS).map(({ update }) => withFault(update('ACCEPTED'), WORDS)),
);
const types = fc.constantFrom('application/json', 'application/yaml');

type Sent = [path: string, document: unknown, type: 'application/json' | 'application/yaml'];

/** One request for each outcome: chance alone leaves one out now and then. */
const OUTCOMES = new Map<string, Sent>([
  ['303 YES', ['/requests', GENERATIONS.kinds.ask(WISH), 'application/json']],
  ['303 NO', ['/requests', GENERATIONS.kinds.ask({ ...WISH, cores: 1000 }), 'application/json']],
  ['303 ACCEPTED', ['/direct', GENERATIONS.types.ask(WISH), 'application/yaml']],
  ['400 FAILED', ['/direct', GENERATIONS.kinds.ask({ ...WISH, cores: 1000 }), 'application/json']],
  ['400 body-not-an-ask', ['/requests', {}, 'application/json']],
]);

describe('whatever a client of the broker sends', () => {
  let service: TestService;
  let session: string;
  beforeAll(async () => {
    service = await startTestService(SITE, { destinations: { a: { runner: 'process' } } });
    const { text } = await send('/requests', GENERATIONS.kinds.ask(WISH), 'application/json');
    session = GENERATIONS.kinds.idOf(Object(load(text)).offers[0]);
  });
  afterAll(() => service?.close());

  const send = async (path: string, document: unknown, type: string) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'Content-Type': type, Accept: 'application/json' },
      // JSON is YAML, too.
      body: JSON.stringify(document),
      redirect: 'manual',
    });
    return { status: response.status, text: await response.text() };
  };

  test('a request has an answer, a refusal in messages, or a problem that is the client’s', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ASKS), requests, types, async (path, document, type) => {
        const { status, text } = await send(path, document, type);
        const told: unknown = JSON.parse(text);
        const { result, phase, code } = Object(told);
        expect(status).toBeLessThan(500);
        expect(contractFaults(schemaOf(told), told)).toEqual([]);
        const kind = `${status} ${result ?? phase ?? code}`;
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }),
      { numRuns: RUNS, examples: [...OUTCOMES.values()] },
    );
    expect([...seen.keys()]).toEqual(expect.arrayContaining([...OUTCOMES.keys()]));
  });

  test('an update has a session or a problem that is the client’s', async () => {
    await fc.assert(
      fc.asyncProperty(updates, types, async (document, type) => {
        const { status, text } = await send(`/sessions/${session}`, document, type);
        expect(status).toBeLessThan(500);
        const told: unknown = JSON.parse(text);
        expect(contractFaults(schemaOf(told), told)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

/** A request with everything that it can have, so that faults are everywhere. */
function full(ask: object): object {
  return {
    ...ask,
    storage: [
      {
        kind: `${KINDS}storage/simple-storage-resource.yaml`,
        meta: { name: 'disc' },
        size: { min: 1, max: 2 },
      },
    ],
    costs: [
      { kind: `${KINDS}costs/simple-minmax-float-cost.yaml`, type: 'urn:example:credits', max: 9 },
    ],
  };
}

function schemaOf(told: unknown): string {
  const { result, phase } = Object(told);
  if (result !== undefined) return 'BrokerOfferSet';
  return phase === undefined ? 'Problem' : 'BrokerSession';
}
