import { describe, expect, test } from '@jest/globals';
import { openRequest } from '../../../src/dialects/broker/opened.ts';
import { placeIn } from '../../../src/dialects/broker/paths.ts';
import { reviseRequest } from '../../../src/dialects/broker/revise.ts';
import type { Change } from '../../../src/planner/nearest/change.ts';
import type { AskPlace } from '../../../src/planner/place.ts';
import { mebibytes, millicores, seconds } from '../../../src/words/units.ts';
import { container, K, OWN, requestOf, T } from './requests.ts';

const old = { type: 'uri:docker-container-1.0', image: container.image };
function cores(to: number): Change {
  return { what: 'cores', bound: 'min', of: 0, to: millicores(to) };
}

function revised(body: object, ...changes: readonly Change[]) {
  return reviseRequest(openRequest(requestOf(body)), changes).request;
}

describe('a revised request', () => {
  test('has whole amounts: lower ones round down and higher ones up', () => {
    const at = (min: number) => ({ executable: container, compute: { cores: { min } } });
    expect(revised(at(64), cores(6500))).toEqual(at(6));
    expect(revised(at(2), cores(6500))).toEqual(at(7));
    expect(revised(at(2), cores(500))).toEqual(at(0.5));
  });

  test('has amounts where its generation writes them', () => {
    const body = {
      executable: old,
      resources: { compute: [{ cores: { requested: { min: 64 } } }] },
    };
    expect(revised(body, cores(6000))).toMatchObject({
      resources: { compute: [{ cores: { requested: { min: 6 } } }] },
    });
    expect(revised({ executable: old }, cores(6000))).toEqual({
      executable: old,
      resources: {
        compute: [
          {
            type: `${T}/resources/compute/simple-compute-resource-1.0`,
            cores: { requested: { min: 6 } },
          },
        ],
      },
    });
    expect(revised({ executable: container }, cores(6000))).toEqual({
      executable: container,
      compute: { kind: `${K}/compute/simple-compute-resource.yaml`, cores: { min: 6 } },
    });
  });

  test('has another environment and another version of a package', () => {
    const type = 'https://www.purl.org/ivoa-net/task-type/python-program';
    const spec = { source: '', environment: 'plain', requirements: ['os2', 'numpy>9'] };
    const changes: readonly Change[] = [
      { what: 'environment', of: 0, to: 'astro' },
      { what: 'requirement', of: 1, to: 'numpy==1.24.2' },
    ];
    expect(revised({ executable: { type, spec } }, ...changes)).toEqual({
      executable: {
        type,
        spec: { source: '', environment: 'astro', requirements: ['os2', 'numpy==1.24.2'] },
      },
    });
    const beside = { type, source: '', requirements: ['os2', 'numpy>9'] };
    expect(revised({ executable: beside }, ...changes.slice(1))).toEqual({
      executable: { type, source: '', requirements: ['os2', 'numpy==1.24.2'] },
    });
  });

  test('has memory in the units of the client', () => {
    const memory = { min: 8, units: 'TiB' };
    const change: Change = { what: 'memory', bound: 'min', of: 0, to: mebibytes(5 * 2 ** 20) };
    expect(revised({ executable: container, compute: { memory } }, change)).toMatchObject({
      compute: { memory: { min: 5, units: 'TiB' } },
    });
  });

  test('has other GPUs, fewer machines, another time and price', () => {
    const gpu = { kind: `${OWN}/compute/gpu-1.0`, type: 'urn:a', count: 4 };
    const body = {
      executable: container,
      compute: { extras: [gpu] },
      schedule: { requested: { start: '2023-08-14T10:00Z', duration: { min: 'P9D' } } },
      costs: [{ type: 'urn:euro', max: 1 }],
    };
    const start = Date.UTC(2026, 7, 10);
    expect(
      revised(
        body,
        { what: 'gpu', of: 0, to: { type: 'urn:a', count: 2 } },
        { what: 'replicas', of: 0, to: 2 },
        { what: 'start', of: 0, to: { earliest: start, latest: start + 60_000 } },
        { what: 'duration', of: 0, to: seconds(3600) },
        { what: 'cost', of: 0, to: 5 },
      ),
    ).toEqual({
      executable: container,
      compute: {
        extras: [
          { ...gpu, count: 2 },
          { kind: `${OWN}/compute/replicas-1.0`, count: 2 },
        ],
      },
      schedule: {
        requested: { start: '2026-08-10T00:00:00.000Z/2026-08-10T00:01:00.000Z', duration: 'PT1H' },
      },
      costs: [{ type: 'urn:euro', max: 5 }],
    });
    expect(revised(body, { what: 'gpu', of: 0, to: undefined })).toMatchObject({
      compute: { extras: [] },
    });
  });

  test('loses machines, and the storage that only they mount', () => {
    const machine = (name: string, resource: string) => ({
      meta: { name },
      volumes: [{ path: '/d', resource }],
    });
    const disc = (name: string) => ({ meta: { name }, size: { min: 1 } });
    const body = {
      executable: container,
      compute: [machine('a', 'one'), machine('b', 'two')],
      storage: [disc('one'), disc('two')],
    };
    expect(revised(body, { what: 'item', of: 0, to: undefined })).toEqual({
      ...body,
      compute: [machine('b', 'two')],
      storage: [disc('two')],
    });
  });

  test('has a smaller volume and a shorter life of it', () => {
    const storage = [{ type: 'uri:persistent-storage', size: 8, lifetime: 'P9D', name: 'disc' }];
    const body = { executable: old, resources: { storage } };
    expect(
      revised(
        body,
        { what: 'size', of: 0, to: mebibytes(4096) },
        { what: 'lifetime', of: 0, to: seconds(86_400) },
      ),
    ).toMatchObject({ resources: { storage: [{ size: 4, lifetime: 'P1D' }] } });
  });
});

describe('the place of a refusal', () => {
  const body = {
    executable: container,
    compute: { volumes: [{ path: '/d', resource: 'disc' }] },
    storage: [{ meta: { name: 'disc' }, size: { min: 1 } }],
    data: [{ meta: { name: 'image' }, storage: 'disc' }],
  };
  const opened = openRequest(requestOf(body));

  test.each<readonly [AskPlace, string]>([
    [{ what: 'task' }, 'executable'],
    [{ what: 'task-type' }, 'executable.kind'],
    [{ what: 'spec', at: 'image' }, 'executable.image'],
    [{ what: 'parts' }, 'compute'],
    [{ what: 'cores', bound: 'min', part: 0 }, 'compute.cores.min'],
    [{ what: 'memory', bound: 'max', part: 'all' }, 'compute'],
    [{ what: 'gpu-type', part: 0 }, 'compute.extras'],
    [{ what: 'arch', part: 0 }, 'compute.extras'],
    [{ what: 'compute-type', part: 0 }, 'compute.kind'],
    // The data inside of the storage is mounted by the same volume.
    [{ what: 'volume', part: 0, volume: 1 }, 'compute.volumes[0]'],
    [{ what: 'scratch' }, 'storage'],
    [{ what: 'storage', item: 1 }, 'data[0]'],
    [{ what: 'size', item: 0 }, 'storage[0].size.min'],
    [{ what: 'lifetime', item: 0 }, 'storage[0].lifetime'],
    [{ what: 'window', window: 0 }, 'schedule'],
    [{ what: 'duration', window: 0 }, 'schedule.requested.duration'],
    [{ what: 'cost', cost: 1 }, 'costs[1].max'],
    [{ what: 'written', path: 'x.y' }, 'x.y'],
  ])('%j is at %s', (place, path) => {
    expect(placeIn(opened, place)).toBe(path);
  });
});
