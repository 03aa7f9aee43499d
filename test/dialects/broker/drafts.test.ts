import { describe, expect, test } from '@jest/globals';
import { openBroker } from '../../../src/dialects/broker/broker.ts';
import { parseAskId } from '../../../src/words/ids.ts';
import { readXml, writeXml } from '../../../src/xml/document.ts';
import { openMapping } from '../../../src/xml/mapping.ts';
import { contract } from '../../harness/contract.ts';
import { ASK, BASE, OFFER, offerFor } from './offers.ts';
import { askOf, K, reasonsOf, T } from './requests.ts';

const DRAFTS = 'https://www.purl.org/ivoa.net';
const DIGEST = `sha256:${'0'.repeat(64)}`;
const WHEN = '2026-08-10T10:00:00Z/PT30M';
const START = { earliest: Date.UTC(2026, 7, 10, 10), latest: Date.UTC(2026, 7, 10, 10, 30) - 1 };

const METRIC = `${K}/metrics/simple-minmax-float-metric.yaml`;
const COST = { kind: `${K}/costs/simple-minmax-float-cost.yaml`, type: 'urn:euro', max: 2 };
const PRICE = { type: 'urn:euro', min: 1, max: 2 };

/** The request of A2 in the wire examples of the drafts, with whole URLs. */
const OF_2024 = {
  name: 'exp-1',
  executable: {
    type: `${T}/executables/jupyter-notebook-1.0`,
    name: 'nb',
    location: 'https://example.org/a.ipynb',
  },
  resources: {
    compute: [
      {
        type: `${T}/resources/compute/simple-compute-resource-1.0`,
        name: 'c1',
        cores: { requested: { min: 4 } },
        memory: { requested: { min: 16 } },
      },
    ],
  },
  schedule: { requested: { duration: 'PT1H', start: [WHEN] } },
};

/** That of A3. */
const OF_2026 = {
  executable: {
    kind: `${K}/executable/docker-container.yaml`,
    meta: { name: 'program' },
    image: { locations: ['ghcr.io/ivoa/oligia-webtop:ubuntu-2022.01.13'], digest: DIGEST },
    command: ['run'],
    environment: { NAME: 'value' },
  },
  compute: {
    kind: `${K}/compute/simple-compute-resource.yaml`,
    meta: { name: 'machine' },
    cores: { min: 1, max: 2 },
    memory: { min: 2, max: 4 },
    volumes: [
      {
        kind: `${K}/volume/simple-volume-mount.yaml`,
        path: '/data',
        mode: 'READWRITE',
        resource: 'disc',
      },
    ],
  },
  storage: [
    {
      kind: `${K}/storage/simple-storage-resource.yaml`,
      meta: { name: 'disc' },
      size: { min: 1, max: 2 },
    },
  ],
  data: [
    {
      kind: `${K}/data/simple-data-resource.yaml`,
      meta: { name: 'image' },
      location: 'https://example.org/a.fits',
      storage: 'disc',
    },
  ],
  schedule: { requested: { duration: 'PT1H', start: WHEN } },
};

/** Requests as the drafts show them, with whole URLs. */
describe('the example of the drafts', () => {
  test('of 2024 is a notebook with four cores and 16 GiB for an hour', () => {
    const ask = askOf(OF_2024);
    expect(ask).toMatchObject({
      task: { type: 'jupyter-notebook' },
      parts: [{ name: 'c1' }],
      cores: { min: 4000 },
      memory: { min: 16_384 },
      windows: [{ start: START, duration: { min: 3600, max: 3600 } }],
    });
  });

  test('of 2026 is a container with storage and data', () => {
    const ask = askOf(OF_2026);
    expect(ask).toMatchObject({
      cores: { min: 1000, max: 2000 },
      memory: { min: 2048, max: 4096 },
      storage: [
        { kind: 'ephemeral', name: 'disc', size: 1024 },
        { kind: 'external', name: 'image' },
      ],
      parts: [
        {
          volumes: [
            { name: 'disc', path: '/data', mode: 'rw' },
            { name: 'image', path: '/data/image', mode: 'r' },
          ],
        },
      ],
      windows: [{ start: START, duration: { min: 3600, max: 3600 } }],
    });
  });

  test('of the appendix of 2024 has a repository, a tag and times in a list', () => {
    const ask = askOf({
      executable: {
        type: 'https://www.purl.org/ivoa.net/executable-types/docker-container',
        spec: { repository: 'ghcr.io', image: 'ivoa/example', tag: '1.0' },
      },
      datetime: [{ start: '2026-08-10T10:00Z/T10:30Z', minduration: 'PT1H' }],
    });
    expect(ask).toMatchObject({
      task: { image: { registry: 'ghcr.io', repository: 'ivoa/example', tag: '1.0' } },
      windows: [{ start: START, duration: { min: 3600 } }],
    });
  });

  test('of 2024 with size in TiB and a lifetime is persistent storage', () => {
    const storage = [
      {
        type: 'uri:persistent-storage',
        name: 'results',
        size: { requested: { min: 1 }, units: 'TiB' },
        lifetime: { requested: { min: 'P1D' } },
      },
    ];
    const compute = [{ volumes: [{ resource: 'results', path: '/results', mode: 'READWRITE' }] }];
    const executable = { type: 'uri:python-program-1.0', source: 'print(1)' };
    expect(askOf({ executable, resources: { compute, storage } }).storage).toMatchObject([
      { kind: 'persistent', size: 2 ** 20, lifetime: 86_400 },
    ]);
  });

  test.each([
    ['2023-08-09T12:00:00Z/2023-08-09T13:00:00Z', []],
    ['2023-08-09/PT2H', ['time-zone-missing schedule.requested.start']],
    ['PT2H/2023-08-09', ['time-zone-missing schedule.requested.start']],
    ['2023-08-09/2023-08-10', ['time-zone-missing schedule.requested.start']],
  ])('of an interval in the published schema is read: %s', (start, reasons) => {
    const { executable } = OF_2026;
    expect(reasonsOf({ executable, schedule: { requested: { start } } })).toEqual(reasons);
  });

  test.each<readonly [string, object, string]>([
    [
      'a Zeppelin notebook',
      { type: 'https://www.purl.org/ivoa.net/executable-types/zeppelin-notebook' },
      'unknown-task-type executable.type',
    ],
    [
      'an image with a port',
      {
        kind: `${K}/executable/docker-container.yaml`,
        image: { locations: ['ghcr.io/ivoa/oligia-webtop:ubuntu-2022.01.13'] },
        network: {
          ports: [
            { access: true, internal: { port: 3000 }, external: {}, protocol: 'HTTP', path: '/' },
          ],
        },
      },
      'no-connectors executable.network.ports',
    ],
  ])('with %s is a NO', (_, executable, reason) => {
    expect(reasonsOf({ executable })).toEqual([reason]);
  });

  test.each<readonly [string, object, string]>([
    [
      'storage that others keep, which the draft of 2024 has as data',
      { resources: { storage: [{ type: `${DRAFTS}/storage-types/amazon-s3`, name: 'a' }] } },
      'unknown-storage-type resources.storage[0].type',
    ],
    [
      'VOSpace',
      { resources: { storage: [{ type: `${DRAFTS}/storage-types/vospace-storage`, name: 'a' }] } },
      'unknown-storage-type resources.storage[0].type',
    ],
    [
      'details of a machine in a block',
      { resources: { compute: [{ type: 'uri:generic-compute', spec: { mincores: 4 } }] } },
      'unknown-key resources.compute[0].spec',
    ],
    ['a way to log in', { authentication: [] }, 'unknown-key authentication'],
    ['triggers', { triggers: [] }, 'unknown-key triggers'],
    ['actions', { actions: [] }, 'unknown-key actions'],
  ])('of October 2023 with %s is a NO', (_, words, reason) => {
    const executable = { type: 'uri:python-program-1.0', source: 'print(1)' };
    expect(reasonsOf({ executable, ...words })).toEqual([reason]);
  });
});

describe('the answer to the example of the drafts', () => {
  const broker = openBroker(contract);
  const ask = parseAskId(ASK) ?? failed();
  const answerTo = (request: object, ...more: Parameters<typeof offerFor>[1][]): object => {
    const offers = (more.length === 0 ? [{}] : more).map((one) => offerFor(request, one));
    const { document } = broker.open(request).printAnswer({ kind: 'yes', ask, offers }, BASE);
    return JSON.parse(JSON.stringify(document));
  };
  const text = expect.any(String);

  test('of 2024 has what its text says', () => {
    const part = { type: text, uuid: text, href: text, phase: 'INITIALIZING' };
    const time = { start: text, duration: text };
    const { requested } = OF_2024.schedule;
    const session = {
      type: text,
      uuid: OFFER,
      href: `${BASE}/sessions/${OFFER}`,
      name: 'exp-1',
      created: text,
      state: 'OFFERED',
      phase: 'OFFERED',
      expires: text,
      executable: { ...part, ...OF_2024.executable, access: [] },
      resources: {
        compute: [
          {
            ...part,
            name: 'c1',
            cores: { requested: { min: 4 }, offered: { min: 4, max: 4 } },
            memory: { requested: { min: 16 }, offered: { min: 16, max: 16 } },
          },
        ],
      },
      schedule: { requested, preparing: time, executing: time, releasing: time },
      options: [{ type: 'uri:enum-value-option', path: 'state', values: ['ACCEPTED', 'REJECTED'] }],
      messages: [],
      extras: expect.anything(),
    };
    expect(answerTo(OF_2024)).toEqual({
      type: text,
      uuid: ASK,
      href: `${BASE}/offersets/${ASK}`,
      name: 'exp-1',
      created: text,
      result: 'YES',
      offers: [session],
      messages: [],
      extras: expect.anything(),
    });
  });

  test('of 2026 has what its text says', () => {
    const { executable, compute, storage, data } = OF_2026;
    const time = { start: text, duration: text };
    const schedule = { preparing: time, available: time, releasing: time };
    const part = (name: string) => ({
      meta: { uuid: text, url: text, created: text, name },
      phase: 'INITIALIZING',
      schedule,
    });
    const session = {
      kind: `${K}/session/scheduled-execution-session.yaml`,
      meta: {
        uuid: OFFER,
        url: `${BASE}/sessions/${OFFER}`,
        created: text,
        modified: text,
        messages: [],
        options: [
          { kind: 'uri:enum-value-option', path: 'phase', values: ['ACCEPTED', 'REJECTED'] },
        ],
      },
      phase: 'OFFERED',
      expires: text,
      executable: { ...executable, ...part('program') },
      compute: {
        ...compute,
        ...part('machine'),
        cores: { min: 1, max: 1 },
        memory: { min: 2, max: 2 },
      },
      storage: [{ ...storage[0], ...part('disc'), size: { min: 1, max: 1 } }],
      data: [{ ...data[0], ...part('image') }],
      connectors: [],
      schedule,
      extras: expect.anything(),
    };
    expect(answerTo(OF_2026)).toEqual({
      kind: `${K}/offerset/execution-offerset.yaml`,
      meta: {
        uuid: ASK,
        url: `${BASE}/offersets/${ASK}`,
        created: text,
        messages: [],
        options: [],
      },
      result: 'YES',
      offers: [session],
      extras: expect.anything(),
    });
  });

  const { sent, answered } = openMapping(contract);
  const [request] = sent('POST', '/requests');
  const offerset = answered('POST', '/requests', 303);

  test.each([
    ['2024', OF_2024],
    ['2026', { ...OF_2026, costs: [COST], metrics: [{ kind: METRIC }] }],
  ])('of %s comes back from XML as it was, and so does the request', (_, document) => {
    if (request === undefined || offerset === undefined) return failed();
    const asked = writeXml(document, request);
    expect(readXml(asked, [request])).toEqual(document);
    const { promised } = offerFor(document);
    const answer = answerTo(document, { promised: { ...promised, costs: [PRICE] } });
    const xml = writeXml(answer, offerset);
    expect(readXml(xml, [offerset])).toEqual(answer);
    expect(xml).toMatch(
      /^<\?xml[^>]*>\s*<offers-response .*<offers><execution .*<costs><cost kind=/s,
    );
    return expect(asked).toMatch(/^<\?xml[^>]*>\s*<offers-request>.*<executable (?:kind|type)=/s);
  });
});

function failed(): never {
  throw new Error('there is none');
}
