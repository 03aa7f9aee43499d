import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { askOf, container, K, OWN, reasonsOf, T } from './requests.ts';

const executable = container;
const simple = { kind: `${K}/compute/simple-compute-resource.yaml` };
const GPU = `${OWN}/compute/gpu-1.0`;

describe('the compute resource of a request', () => {
  test('has whole cores and GiB', () => {
    const compute = { ...simple, cores: { min: 2, max: 4 }, memory: { min: 8, max: 16 } };
    expect(askOf({ executable, compute })).toMatchObject({
      cores: { min: 2000, max: 4000 },
      memory: { min: 8192, max: 16_384 },
      parts: [{ replicas: 1, volumes: [] }],
    });
  });

  test('is what any machine has if the request names none', () => {
    expect(askOf({ executable }).cores).toEqual({ min: undefined, max: undefined });
  });

  test.each([
    ['a list of 2025', { compute: [simple] }],
    ['the list of 2024', { resources: { compute: [{ type: 'uri:generic-compute' }] } }],
    ['a misspelt family', { compute: { kind: `${T}/compute/simple-compute-resource-1.0` } }],
    ['no kind', { compute: {} }],
  ])('is found in %s', (_, words) => {
    expect(askOf({ executable, ...words }).parts).toHaveLength(1);
  });

  test('has what 2024 requests, not what was offered', () => {
    const cores = { requested: { min: 4 }, offered: { min: 8, max: 8 } };
    const memory = { requested: { min: 1, units: 'TiB' } };
    const { parts } = askOf({ executable, resources: { compute: [{ cores, memory }] } });
    expect(parts[0].cores).toEqual({ min: 4000, max: undefined });
    expect(parts[0].memory.min).toBe(2 ** 20);
  });

  test.each([
    ['GB', 954, 953],
    ['GiB', 1024, 1024],
    ['TiB', 2 ** 20, 2 ** 20],
  ])('counts %s as they are: a minimum rounds up and a maximum down', (units, least, most) => {
    const asked = (bound: object) => ({ executable, compute: { memory: { ...bound, units } } });
    expect(askOf(asked({ min: 1 })).memory.min).toBe(least);
    expect(askOf(asked({ max: 1 })).memory.max).toBe(most);
  });

  test('has no maximum that rounds to nothing', () => {
    const compute = { memory: { max: 1, units: 'MB' } };
    expect(reasonsOf({ executable, compute })).toEqual(['amount-not-positive compute.memory.max']);
  });

  test('keeps every bound of any whole amounts', () => {
    const bounds = fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 0, max: 5000 }));
    fc.assert(
      fc.property(bounds, bounds, ([cores, more], [memory, further]) => {
        const compute = {
          cores: { min: cores, max: cores + more },
          memory: { min: memory, max: memory + further },
        };
        expect(askOf({ executable, compute })).toMatchObject({
          cores: { min: cores * 1000, max: (cores + more) * 1000 },
          memory: { min: memory * 1024, max: (memory + further) * 1024 },
        });
      }),
    );
  });

  test('has GPUs, an architecture and replicas as extras of this service', () => {
    const extras = [
      { kind: GPU, type: 'urn:gpu', count: 2 },
      { kind: `${OWN}/compute/architecture-1.0`, architecture: 'arm64' },
      { kind: `${OWN}/compute/replicas-1.0`, count: 3 },
    ];
    expect(askOf({ executable, compute: { ...simple, extras } })).toMatchObject({
      gpus: { type: 'urn:gpu', count: 6 },
      parts: [{ replicas: 3, arch: 'arm64', gpus: { type: 'urn:gpu', count: 2 } }],
    });
  });

  test('can be a Kubernetes cluster', () => {
    const extras = [{ kind: `${OWN}/compute/kubernetes-1.0`, version: '1.25.4' }];
    expect(askOf({ executable, compute: { ...simple, extras } }).parts[0].platform).toEqual({
      uri: 'https://www.purl.org/ivoa-net/compute-type/kubernetes',
      name: 'kubernetes',
      block: { version: '1.25.4' },
    });
  });

  test.each<readonly [string, object, string]>([
    [
      'minima above maxima',
      { compute: { cores: { min: 4, max: 2 } } },
      'minimum-above-maximum compute.cores.min',
    ],
    [
      'an amount of nothing',
      { compute: [{ memory: { min: 0 } }] },
      'amount-not-positive compute[0].memory.min',
    ],
    [
      'an amount of 2024',
      { resources: { compute: [{ cores: { requested: { min: -1 } } }] } },
      'amount-not-positive resources.compute[0].cores.requested.min',
    ],
    [
      'an amount that is said twice',
      { compute: { cores: { min: 1, requested: { min: 1 } } } },
      'time-ambiguous compute.cores.min',
    ],
    [
      'a foreign kind',
      { compute: { kind: 'https://example.org/simple-compute-resource.yaml' } },
      'unknown-compute-type compute.kind',
    ],
    ['an unknown word', { compute: { gpu: 1 } }, 'unknown-key compute.gpu'],
    ['a word in a bound', { compute: { cores: { most: 1 } } }, 'unknown-key compute.cores.most'],
    [
      'an unknown unit',
      { compute: { memory: { min: 1, units: 'bananas' } } },
      'amount-unreadable compute.memory.units',
    ],
    [
      'a GPU without a type',
      { compute: { extras: [{ kind: GPU }] } },
      'compute-block-invalid compute.extras[0].type',
    ],
    [
      'a foreign extra',
      { compute: { extras: [{ kind: 'https://example.org/x' }] } },
      'unknown-key compute.extras[0].kind',
    ],
    [
      'a foreign extra of the whole request',
      { extras: [{ kind: `${OWN}/session/destination-1.0` }, { kind: 'https://example.org/x' }] },
      'unknown-key extras[1].kind',
    ],
    [
      'two machines of one name',
      { compute: [{ meta: { name: 'a' } }, { name: 'a' }] },
      'duplicate-name compute[1].name',
    ],
  ])('is refused with the place of %s', (_, words, reason) => {
    expect(reasonsOf({ executable, ...words })).toEqual([reason]);
  });
});
