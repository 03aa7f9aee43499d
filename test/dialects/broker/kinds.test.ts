import { describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { openRequest } from '../../../src/dialects/broker/opened.ts';
import { kindNamed } from '../../../src/dialects/broker/kinds.ts';
import { readBrokerRequest } from '../../../src/dialects/broker/read/read.ts';
import { loadPlugins } from '../../../src/plugins/load.ts';
import { vocabularyOf } from '../../../src/http/asks/vocabulary.ts';
import { siteOf } from '../../harness/asks.ts';
import { container, K, OWN, reasonsOf, requestOf, T, V1 } from './requests.ts';

const DRAFTS = 'https://www.purl.org/ivoa.net';

/** What the generations call the same thing. */
const ALIASES = [
  [
    'executable',
    'container',
    `${K}/executable/docker-container.yaml`,
    `${V1}/executable/docker-container-1.0`,
    `${T}/executables/docker-container-1.0`,
    `${T}/executable/docker-container-1.0`,
    `${DRAFTS}/executable-types/docker-container`,
    `${DRAFTS}/executable-types/oci-container`,
    'https://www.purl.org/ivoa-net/task-type/oci-container',
    'uri:docker-container-1.0',
  ],
  [
    'executable',
    'notebook',
    `${K}/executable/jupyter-notebook.yaml`,
    `${V1}/executable/jupyter-notebook-1.0`,
    `${T}/executables/jupyter-notebook-1.0`,
    `${DRAFTS}/executable-types/jupyter-notebook`,
    'https://www.purl.org/ivoa-net/task-type/jupyter-notebook',
    'uri:jupyter-notebook-1.0',
  ],
  [
    'executable',
    'singularity',
    `${K}/executable/singularity-container.yaml`,
    `${V1}/executable/singularity-container-1.0`,
    `${T}/executables/singularity-container-1.0`,
    `${DRAFTS}/executable-types/singularity-container`,
  ],
  [
    'executable',
    'python-program',
    `${OWN}/executable/python-program-1.0`,
    'uri:python-program-1.0',
  ],
  ['executable', 'helm-chart', 'https://www.purl.org/ivoa-net/task-type/helm-chart'],
  [
    'compute',
    'simple',
    `${K}/compute/simple-compute-resource.yaml`,
    `${V1}/compute/simple-compute-resource-1.0`,
    `${V1}/computer/simple-compute-resource-1.0`,
    `${T}/resources/compute/simple-compute-resource-1.0`,
    `${T}/compute/simple-compute-resource-1.0`,
    `${DRAFTS}/resource-types/generic-compute`,
    'uri:generic-compute',
  ],
  ['compute', 'kubernetes', 'https://www.purl.org/ivoa-net/compute-type/kubernetes'],
  [
    'storage',
    'ephemeral',
    `${K}/storage/simple-storage-resource.yaml`,
    `${V1}/storage/simple-storage-resource-1.0`,
    `${T}/resources/storage/simple-storage-resource-1.0`,
    `${T}/storage/simple-storage-resource-1.0`,
    `${DRAFTS}/storage-types/ephemeral-storage`,
    'https://www.purl.org/ivoa-net/storage-type/ephemeral',
    'uri:ephemeral-storage',
  ],
  [
    'storage',
    'persistent',
    `${DRAFTS}/storage-types/persistent-storage`,
    'https://www.purl.org/ivoa-net/storage-type/persistent',
    'uri:persistent-storage',
  ],
  [
    'data',
    'simple',
    `${K}/data/simple-data-resource.yaml`,
    `${V1}/data/simple-data-resource-1.0`,
    `${T}/resources/data/simple-data-resource-1.0`,
    `${T}/data/simple-data-resource-1.0`,
  ],
  [
    'data',
    's3',
    `${K}/data/S3-data-resource.yaml`,
    `${V1}/data/S3-data-resource-1.0`,
    `${T}/resources/data/S3-data-resource-1.0`,
    `${DRAFTS}/storage-types/amazon-s3`,
    'https://www.purl.org/ivoa-net/storage-type/amazon-S3',
  ],
  [
    'data',
    'rucio',
    `${K}/data/rucio-data-resource.yaml`,
    `${T}/resources/data/Rucio-data-resource-1.0`,
    `${T}/data/rucio-data-resource-1.0`,
    `${DRAFTS}/storage-types/rucio-storage`,
    'uri:rucio-storage',
  ],
  ['data', 'ivoa', `${K}/data/ivoa-data-resource.yaml`, `${T}/data/ivoa-data-resource-1.0`],
  ['data', 'skao', `${K}/data/skao-data-resource.yaml`, `${V1}/data/skao-data-resource-1.0`],
  [
    'volume',
    'volume',
    `${K}/volume/simple-volume-mount.yaml`,
    `${V1}/volume/simple-volume-mount-1.0`,
    `${T}/volume/simple-volume-mount-1.0`,
    'uri:filesystem-mount',
  ],
  [
    'costs',
    'cost',
    `${K}/costs/simple-minmax-float-cost.yaml`,
    `${K}/costs/abstract-cost-item.yaml`,
  ],
] as const;

describe('a URI', () => {
  test.each(
    ALIASES.flatMap(([family, name, ...uris]) => uris.map((uri) => [family, name, uri] as const)),
  )('of a %s names %s: %s', (family, name, uri) => {
    expect(kindNamed(uri, family)).toBe(name);
    // Nothing is known by its end alone.
    const end = uri.slice(uri.lastIndexOf('/') + 1);
    expect(kindNamed(`https://example.org/${end}`, family)).toBeUndefined();
    expect(kindNamed(uri.replace(/^(https:\/\/www|uri)/, 'urn:$1'), family)).toBeUndefined();
    expect(kindNamed(`${uri}/`, family)).toBeUndefined();
  });

  test.each([
    `${DRAFTS}/executable-types/zeppelin-notebook`,
    `${DRAFTS}/storage-types/vospace-storage`,
    `${DRAFTS}/resource-types/nvidia-ad104`,
    `${DRAFTS}/resource-types/xilinx-vu19p`,
  ])('that no part of this service stands for names nothing: %s', (uri) => {
    for (const family of ['executable', 'compute', 'storage', 'data'] as const)
      expect(kindNamed(uri, family)).toBeUndefined();
  });
});

describe('a part that says twice what it is', () => {
  const type = 'uri:jupyter-notebook-1.0';
  const disc = { kind: `${K}/storage/simple-storage-resource.yaml` };
  const data = { kind: `${K}/data/simple-data-resource.yaml`, location: 'https://example.org/a' };

  test.each<readonly [string, object]>([
    ['executable.type', { executable: { ...container, type } }],
    ['compute.type', { executable: container, compute: { kind: `${K}/compute/x.yaml`, type } }],
    ['storage[0].type', { executable: container, storage: [{ ...disc, type }] }],
    ['data[0].type', { executable: container, data: [{ ...data, type }] }],
    [
      'compute.volumes[0].type',
      { executable: container, compute: { volumes: [{ kind: 'urn:a', path: '/a', type }] } },
    ],
    ['type', { executable: container, kind: 'urn:a', type }],
  ])('is refused, and not guessed at: %s', (path, request) => {
    expect(reasonsOf(request)).toContain(`time-ambiguous ${path}`);
  });
});

describe('the type of a plug-in', () => {
  const EXAMPLES = fileURLToPath(new URL('../../../docs/examples/plugins', import.meta.url));
  const read = async (body: object) => {
    const vocabulary = vocabularyOf(await loadPlugins(EXAMPLES), siteOf({ a: {} }));
    const understood = readBrokerRequest(openRequest(requestOf(body)), vocabulary);
    return understood.ok
      ? understood.ask
      : understood.refusals.map(({ code, place }) => `${code} ${Object(place).path}`);
  };
  const executable = { kind: `${OWN}/executable/executable-1.0`, command: ['sort'] };
  const distance = 'https://example.org/task-type/comoving-distance';
  const catalogue = 'https://example.org/storage-type/catalogue';
  const observatory = 'https://example.org/compute-type/observatory';

  test.each(['kind', 'type'])('is an executable by exactly its URI in %s', async (key) => {
    expect(await read({ executable: { [key]: distance, redshift: 1 } })).toMatchObject({
      taskType: distance,
      plugin: { name: 'comoving-distance', spec: { redshift: 1 } },
    });
    expect(await read({ executable: { [key]: distance, redshift: -1 } })).toEqual([
      'task-spec-invalid executable.redshift',
    ]);
    expect(await read({ executable: { [key]: `${distance}.yaml`, redshift: 1 } })).toEqual([
      `unknown-task-type executable.${key}`,
    ]);
  });

  test('is data that it loads, and a machine that it knows', async () => {
    const volumes = [{ path: '/stars', mode: 'READONLY', resource: 'stars' }];
    const data = [{ kind: catalogue, meta: { name: 'stars' }, stars: ['Vega'] }];
    expect(await read({ executable, compute: { volumes }, data })).toMatchObject({
      storage: [{ source: { kind: 'plugin', name: 'catalogue', spec: { stars: ['Vega'] } } }],
    });
    expect(await read({ executable, compute: { kind: observatory } })).toMatchObject({
      parts: [{ platform: { uri: observatory } }],
    });
  });
});

describe('a request', () => {
  test.each([
    `${K}/session/scheduled-execution-session.yaml`,
    `${V1}/offerset/execution-offerset-1.0`,
    `${T}/requests/execution-request-1.0`,
  ])('may say that it is one, or an answer that is sent back: %s', (kind) => {
    expect(reasonsOf({ kind, executable: container })).toEqual([]);
  });

  test.each([
    `${K}/executable/docker-container.yaml`,
    'https://example.org/session/simple',
    'https://www.purl.org/ivoa.net/requests/',
    '',
  ])('that says it is something else is a NO with the place: %j', (kind) => {
    expect(reasonsOf({ kind, executable: container })).toEqual(['unknown-key kind']);
    expect(reasonsOf({ type: kind, executable: container })).toEqual(['unknown-key type']);
  });

  test('with an unknown word in the meta of a part is a NO with the place', () => {
    const simple = `${K}/compute/simple-compute-resource.yaml`;
    expect(
      reasonsOf({
        meta: { name: 'mine', priority: 'high' },
        executable: container,
        compute: { kind: simple, meta: { name: 'one', uuid: 'a', colour: 'red' } },
      }).toSorted(),
    ).toEqual(['unknown-key compute.meta.colour', 'unknown-key meta.priority']);
  });
});
