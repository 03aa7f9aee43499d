import {
  PERSISTENT,
  EPHEMERAL,
  task,
  withCompute,
  withStorage,
  withMounted,
  withPaths,
  type Refused,
} from './asks.ts';

/** Volumes that are refused: readable, but impossible or not understood; NO with this reason. */
export const REFUSED_VOLUMES: readonly Refused[] = [
  [
    'storage-not-mounted',
    'resources.storage[0].name',
    'persistent storage that no volume mounts',
    withStorage(`{name: a, type: "${PERSISTENT}", size: 1Gb}`),
  ],
  [
    'external-read-only',
    'resources.compute[0].volumes[0].mode',
    'data from elsewhere that is to be written',
    withMounted(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/https", location: "https://example.org/a"}',
      'rw',
    ),
  ],
  [
    'unknown-volume',
    'resources.compute[0].volumes[0].name',
    'a volume without storage',
    withCompute('{volumes: [{name: ghost, path: /data}]}'),
  ],
  [
    'volume-path-invalid',
    'resources.compute[0].volumes[0].path',
    'a volume path that climbs',
    withCompute('{volumes: [{name: ghost, path: /data/../../etc}]}'),
  ],
  ...[
    ['x', 'x/'],
    ['x//y', 'x/y'],
    ['/x', '//x/'],
    ['x', 'x'],
  ].map(
    ([one = '', other = '']) =>
      [
        'duplicate-name',
        'resources.compute[0].volumes[1].path',
        `the volume paths ${one} and ${other}, which are one place`,
        withPaths([one, other]),
      ] as const,
  ),
  [
    'duplicate-name',
    'resources.compute[0].volumes[1].name',
    'two volumes whose names make one variable',
    `task: ${task}\nresources: {compute: [{volumes: [{name: a-b, path: x}, {name: a.B, path: ` +
      `y}]}], storage: [{name: a-b, type: "${EPHEMERAL}"}, {name: a.B, type: "${EPHEMERAL}"}]}`,
  ],
  [
    'volume-path-invalid',
    'resources.compute[0].volumes[0].path',
    'a step of a volume path that no file system has',
    withPaths(['x'.repeat(256)]),
  ],
  [
    'volume-path-invalid',
    'resources.compute[0].volumes[0].path',
    'such a step in letters of three bytes',
    withPaths([`a/${'語'.repeat(86)}`]),
  ],
  [
    'volume-path-invalid',
    'resources.compute[0].volumes[1].path',
    'a volume in one that is read only',
    withPaths(['/x', '/x/y'], 'r'),
  ],
  [
    'volume-path-invalid',
    'resources.compute[0].volumes[1].path',
    'a volume in one that is filled from elsewhere',
    withPaths(
      ['x', 'x//y'],
      'r',
      '"https://www.purl.org/ivoa-net/storage-type/https", location: "https://example.org/a"',
    ),
  ],
  [
    'volume-path-invalid',
    'resources.compute[0].volumes[1].path',
    'a volume in one that is kept',
    withPaths(['x', 'x/y'], 'rw', `"${PERSISTENT}", size: 1Gb`),
  ],
  [
    'volume-mode-unknown',
    'resources.compute[0].volumes[0].mode',
    'a volume mode that nobody knows',
    withCompute('{volumes: [{name: ghost, path: /data, mode: x}]}'),
  ],
];
