import { A100, EXECUTABLE, withCompute, type Refused } from './asks.ts';

/** Machines that are refused: readable, but impossible or not understood; NO with this reason. */
export const REFUSED_COMPUTE: readonly Refused[] = [
  [
    'unknown-key',
    'resources.compute[0].min-core',
    'an unknown key in a compute item',
    withCompute('{min-core: 2}'),
  ],
  [
    'unknown-key',
    'resources.compute[0].gpu.memory',
    'an unknown key in a GPU',
    withCompute('{gpu: {type: "https://example.org/gpu/a100", memory: 80}}'),
  ],
  [
    'amount-not-positive',
    'resources.compute[0].min-cores',
    'negative cores',
    withCompute('{min-cores: -1}'),
  ],
  [
    'amount-not-positive',
    'resources.compute[0].max-cores',
    'zero cores',
    withCompute('{max-cores: 0}'),
  ],
  [
    'amount-not-positive',
    'resources.compute[0].min-memory',
    'negative memory',
    withCompute('{min-memory: -16Gb}'),
  ],
  [
    'amount-not-positive',
    'resources.compute[0].gpu.count',
    'no GPU',
    withCompute('{gpu: {type: "https://example.org/gpu/a100", count: 0}}'),
  ],
  [
    'amount-too-large',
    'resources.compute[0].min-cores',
    'more cores than exist',
    withCompute('{min-cores: 1e300}'),
  ],
  [
    'amount-too-large',
    'resources.compute[0].min-memory',
    'more memory than exists',
    withCompute('{min-memory: 99999999999Tb}'),
  ],
  [
    'amount-unreadable',
    'resources.compute[0].min-memory',
    'a unit nobody knows',
    withCompute('{min-memory: 16 parsecs}'),
  ],
  [
    'minimum-above-maximum',
    'resources.compute[0].min-cores',
    'a minimum above the maximum',
    withCompute('{min-cores: 8, max-cores: 2}'),
  ],
  [
    'minimum-above-maximum',
    'resources.compute[0].min-memory',
    'a minimum of memory above the maximum',
    withCompute('{min-memory: 16Gb, max-memory: 2Gb}'),
  ],
  [
    'compute-items-not-here',
    'resources.compute',
    'more machines than a task may have',
    withCompute('{name: a}, {name: b, replicas: 100}'),
  ],
  [
    'amount-not-positive',
    'resources.compute[0].replicas',
    'no machine at all',
    withCompute('{replicas: 0}'),
  ],
  [
    'duplicate-name',
    'resources.compute[1].name',
    'two compute items of one name',
    withCompute('{name: a}, {name: a}'),
  ],
  [
    'several-gpu-types',
    'resources.compute[1].gpu.type',
    'GPUs of two types',
    withCompute('{gpu: {type: a}}, {gpu: {type: b}}'),
  ],
  [
    'compute-block-invalid',
    'resources.compute[0].kubernetes.version',
    'a version that is none',
    withCompute('{type: "uri:kubernetes", kubernetes: {version: newest}}'),
  ],
  [
    'compute-block-invalid',
    'resources.compute[0].kubernetes.nodes',
    'an unknown key of a type',
    withCompute('{type: "uri:kubernetes", kubernetes: {nodes: 3}}'),
  ],
  [
    'unknown-key',
    'resources.compute[0].kubernetes',
    'a block of a type that is not asked for',
    withCompute('{kubernetes: {version: "1.25.4"}}'),
  ],
  [
    'compute-type-not-here',
    'resources.compute[0].type',
    'a type that no destination is',
    withCompute('{type: "https://www.purl.org/ivoa-net/compute-type/kubernetes"}'),
  ],
  [
    'unknown-arch',
    'resources.compute[0].arch',
    'an architecture that nobody knows',
    withCompute('{arch: vax}'),
  ],
  [
    'arch-not-here',
    'resources.compute[0].arch',
    'an architecture that the site does not promise',
    withCompute('{arch: arm64}'),
  ],
  [
    'unknown-compute-type',
    'resources.compute[0].type',
    'a compute type',
    withCompute('{type: "https://example.org/kubernetes"}'),
  ],
  [
    'gpu-type-not-here',
    'resources.compute[0].gpu.type',
    'a GPU that nobody has',
    withCompute('{gpu: {type: "https://example.org/AMD-xx"}}'),
  ],
  [
    'above-capacity',
    'resources.compute[0].gpu.count',
    'more GPUs than there are',
    `task: {type: "${EXECUTABLE}", spec: {command: [sort]}}\n` +
      `resources: {compute: [{gpu: {type: "${A100}", count: 3}}]}`,
  ],
  [
    'above-max-accepted',
    'resources.compute[0].min-cores',
    'more cores than a destination accepts',
    withCompute('{min-cores: 9}'),
  ],
];
