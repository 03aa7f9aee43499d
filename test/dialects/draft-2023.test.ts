import { describe, expect, test } from '@jest/globals';
import { readSeedAsk } from '../../src/dialects/seed/read.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import type { Ask } from '../../src/planner/ask.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { siteOf } from '../harness/asks.ts';
import { contractFaults } from '../harness/contract.ts';

const TYPE = 'https://www.purl.org/ivoa-net';
const GPU = 'https://example.org/AMD-xx';
const plain = siteOf({ a: {} });
const vocabulary = vocabularyOf(builtInKnown, {
  ...plain,
  fetch: { ...plain.fetch, registries: ['ghcr.io'] },
  s3: [
    {
      endpoint: 'https://s3.example.org',
      region: 'us-east-1',
      credentials: undefined,
      buckets: undefined,
    },
  ],
});

const notebook = {
  type: `${TYPE}/task-type/jupyter-notebook`,
  spec: { notebook: 'https://example.org/example.jpnb' },
};
const container = {
  type: `${TYPE}/task-type/oci-container`,
  spec: { arch: 'amd64', repo: 'ghcr.io', image: 'ivoa/example:1.0' },
};

function askOf(ask: object): Ask {
  const understood = read(ask);
  if (understood.ok) return understood.ask;
  throw new Error(JSON.stringify(understood.refusals));
}

function read(ask: object) {
  expect(contractFaults('Ask', ask)).toEqual([]);
  return readSeedAsk(Object(ask), vocabulary);
}

/** One machine with a volume for the one storage item, which both have the same name. */
function storing(name: string, item: object, path: string, mode: string) {
  const volumes = [{ name, path, mode }];
  return { compute: [{ name: 'example-one', volumes }], storage: [{ name, ...item }] };
}

/** With whole URLs where the draft leaves a part out. */
describe('a request of the 2023 draft', () => {
  test.each<readonly [string, object, object]>([
    [
      'level 1: a notebook',
      { task: notebook },
      {
        task: { type: 'jupyter-notebook', notebook: { url: notebook.spec.notebook } },
        storage: [],
      },
    ],
    [
      'level 1: a container with arch, repo and image',
      { task: container },
      { task: { architectures: ['amd64'], image: { registry: 'ghcr.io', tag: '1.0' } } },
    ],
    [
      'level 2a: a type of GPU',
      { task: notebook, resources: { compute: [{ name: 'example-one', gpu: { type: GPU } }] } },
      { gpus: { type: GPU, count: 1 }, parts: [{ name: 'example-one' }] },
    ],
    [
      'level 2a: least cores and memory',
      {
        task: notebook,
        resources: {
          compute: [
            { name: 'example-one', 'min-cores': 8, 'min-memory': '16Gb', gpu: { type: GPU } },
          ],
        },
      },
      { cores: { min: 8000, max: undefined }, memory: { min: 16_384, max: undefined } },
    ],
    [
      'level 2a: an offer that is sent back',
      {
        task: notebook,
        resources: {
          compute: [
            { 'min-cores': 8, 'max-cores': 16, 'min-memory': '16Gb', 'max-memory': '32Gb' },
          ],
        },
      },
      { cores: { min: 8000, max: 16_000 }, memory: { min: 16_384, max: 32_768 } },
    ],
    [
      'level 2a: a Helm chart on a version of Kubernetes',
      {
        task: {
          type: `${TYPE}/task-type/helm-chart`,
          spec: { chart: 'https://example.org/a.tgz' },
        },
        resources: {
          compute: [
            {
              name: 'example-two',
              type: `${TYPE}/compute-type/kubernetes`,
              kubernetes: { version: '1.25.4' },
            },
          ],
        },
      },
      { parts: [{ platform: { name: 'kubernetes', block: { version: '1.25.4' } } }] },
    ],
    [
      'level 2b: scratch space without a volume',
      {
        task: notebook,
        resources: {
          storage: [
            { name: 'scratch-space', type: `${TYPE}/storage-type/ephemeral`, size: '1024Gb' },
          ],
        },
      },
      { storage: [{ kind: 'ephemeral', size: 2 ** 20 }] },
    ],
    [
      'level 2b: scratch space',
      {
        task: notebook,
        resources: storing(
          'scratch-space',
          { type: `${TYPE}/storage-type/ephemeral`, size: '1024Gb' },
          '/temp',
          'rw',
        ),
      },
      {
        storage: [{ kind: 'ephemeral', size: 2 ** 20 }],
        parts: [{ volumes: [{ path: '/temp', mode: 'rw' }] }],
      },
    ],
    [
      'level 2b: a bucket',
      {
        task: notebook,
        resources: storing(
          'source-data',
          {
            type: `${TYPE}/storage-type/amazon-S3`,
            endpoint: 'https://s3.example.org',
            bucket: 'example-data',
          },
          '/data',
          'r',
        ),
      },
      { storage: [{ kind: 'external', source: { kind: 's3', bucket: 'example-data' } }] },
    ],
    [
      'level 2b: results that stay for a day',
      {
        task: container,
        resources: storing(
          'result-output',
          { type: `${TYPE}/storage-type/persistent`, lifetime: '1D', size: '100Gb' },
          '/results',
          'rw',
        ),
      },
      { storage: [{ kind: 'persistent', size: 102_400, lifetime: 86_400 }] },
    ],
  ])('is understood: %s', (_, ask, understood) => {
    expect(askOf(ask)).toMatchObject(understood);
  });

  test.each<readonly [string, object, string]>([
    ['an unknown type of task', { task: { type: 'any-URI', spec: {} } }, 'unknown-task-type'],
    [
      'an offer with less than its minima',
      { task: notebook, resources: { compute: [{ 'min-cores': 8, 'max-cores': 2 }] } },
      'minimum-above-maximum',
    ],
    [
      'a resource that is not understood',
      { task: notebook, resources: { compute: [{ name: 'example-one', fpga: { type: GPU } }] } },
      'unknown-key',
    ],
  ])('is a NO: %s', (_, ask, code) => {
    const understood = read(ask);
    expect(understood.ok ? [] : understood.refusals.map((one) => one.code)).toEqual([code]);
  });

  test.each([
    ['executable', `${TYPE}/task-type/executable`],
    ['jupyter_notebook', `${TYPE}/task-type/jupyter-notebook`],
    ['https://example.org/task-type/executables', `${TYPE}/task-type/executable`],
    ['any-URI', undefined],
    ['', undefined],
  ])('says which type %p may stand for', (type, meant) => {
    const understood = read({ task: { type, spec: {} } });
    expect(understood.ok ? [] : understood.refusals.map(({ detail }) => detail)).toEqual([
      meant && `Did you mean ${meant}?`,
    ]);
  });
});
