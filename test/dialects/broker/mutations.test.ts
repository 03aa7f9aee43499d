import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openBroker } from '../../../src/dialects/broker/broker.ts';
import { withValue } from '../../../src/dialects/edit.ts';
import { contract, contractFaults } from '../../harness/contract.ts';
import { parseAskId } from '../../../src/words/ids.ts';
import { groupedReasons } from '../../../src/planner/reasons.ts';
import { ASK, BASE, offerFor } from './offers.ts';
import { container, K, OWN, vocabulary } from './requests.ts';

const whole = {
  executable: { ...container, network: { ports: [{}] }, entrypoint: 'a', environment: { A: 'b' } },
  compute: [
    {
      kind: `${K}/compute/simple-compute-resource.yaml`,
      meta: { name: 'a' },
      cores: { min: 1, max: 2 },
      memory: { requested: { min: 1 }, units: 'GB' },
      volumes: [{ path: '/a', mode: 'READWRITE', resource: 'disc' }],
      extras: [
        { kind: `${OWN}/compute/gpu-1.0`, type: 'urn:gpu' },
        { kind: `${OWN}/compute/kubernetes-1.0`, version: '1.25' },
        { kind: `${OWN}/compute/replicas-1.0`, count: 2 },
      ],
    },
  ],
  storage: [
    {
      kind: `${K}/storage/simple-storage-resource.yaml`,
      name: 'disc',
      size: 1,
      lifetime: { min: 'P1D' },
      data: ['image'],
      extras: [{ kind: `${OWN}/storage/persistence-1.0`, object: ASK, lifetime: 'P1D' }],
    },
  ],
  data: [
    {
      kind: `${K}/data/skao-data-resource.yaml`,
      meta: { name: 'image' },
      storage: 'disc',
      ivoa: { obscore: { access_url: 'https://example.org/a' }, datalink: { content_length: 1 } },
      skao: { datasize: 1, checksum: { type: 'MD5', value: '0' }, replicas: [{ dataurl: 'x' }] },
    },
  ],
  schedule: { requested: { start: ['2026-08-10T10:00Z'], duration: { min: 'PT1H' } } },
  costs: [{ type: 'urn:euro', max: 1 }],
  metrics: [{ type: 'urn:x', min: 1 }],
};

/** Every place of the request, such as `compute[0].cores.min`. */
function placesOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => placesOf(item, `${path}[${index}]`))
    : Object.entries(value).flatMap(([key, item]) =>
        placesOf(item, path === '' ? key : `${path}.${key}`),
      );
  return path === '' ? inner : [path, ...inner];
}

const values = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    '',
    0,
    -1,
    0.5,
    1e300,
    2 ** 53,
    true,
    [],
    {},
    'x'.repeat(100),
  ),
  fc.constantFrom<unknown>('P1Y', '../..', 'disc', 'image', `${K}/data/ivoa-data-resource.yaml`),
  fc.string({ unit: 'binary', maxLength: 50 }),
  // What bodies can have: the reader of documents refuses other numbers.
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

test('any request that fits the contract is read, and its NO is printed', () => {
  const broker = openBroker(contract);
  const ask = parseAskId(ASK);
  if (ask === undefined) throw new Error('no id');
  const mutation = fc.tuple(fc.constantFrom(...placesOf(whole)), values);
  let refused = 0;
  fc.assert(
    fc.property(fc.array(mutation, { maxLength: 4 }), (mutations) => {
      const document = mutations.reduce<object>(
        (request, [path, value]) => withValue(request, path, value),
        { ...whole },
      );
      if (contractFaults('BrokerRequest', document).length > 0) return;
      const asking = broker.open(document);
      const understood = asking.read(vocabulary);
      if (understood.ok) return;
      refused += 1;
      const reasons = groupedReasons(understood.refusals, asking);
      const { document: answer } = asking.printAnswer(
        { kind: 'no', ask, reasons, nearest: undefined },
        BASE,
      );
      expect(contractFaults('BrokerOfferSet', JSON.parse(JSON.stringify(answer)))).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(50);
});

test('the offer for any understood request is printed', () => {
  const fine = { executable: container, compute: { ...whole.compute[0], memory: { min: 1 } } };
  const places = placesOf(fine).filter((path) => path.startsWith('compute.'));
  const broker = openBroker(contract);
  fc.assert(
    fc.property(fc.constantFrom(...places), values, (path, value) => {
      const document = withValue({ ...fine, storage: [{ name: 'disc' }] }, path, value);
      if (contractFaults('BrokerRequest', document).length > 0) return;
      if (!broker.open(document).read(vocabulary).ok) return;
      const session = broker.printOffer(offerFor(document), BASE);
      expect(contractFaults('BrokerSession', JSON.parse(JSON.stringify(session)))).toEqual([]);
    }),
  );
});
