import { describe, expect, test } from '@jest/globals';
import { askOf, K, reasonsOf, T } from './requests.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const WHEN = '2026-08-10T10:00:00Z/PT30M';
const START = { earliest: Date.UTC(2026, 7, 10, 10), latest: Date.UTC(2026, 7, 10, 10, 30) - 1 };

/** Requests as the drafts show them, with whole URLs. */
describe('the example of the drafts', () => {
  test('of 2024 is a notebook with four cores and 16 GiB for an hour', () => {
    const ask = askOf({
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
    });
    expect(ask).toMatchObject({
      task: { type: 'jupyter-notebook' },
      parts: [{ name: 'c1' }],
      cores: { min: 4000 },
      memory: { min: 16_384 },
      windows: [{ start: START, duration: { min: 3600, max: 3600 } }],
    });
  });

  test('of 2026 is a container with storage and data', () => {
    const ask = askOf({
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
    });
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
});
