import { PERSISTENT, S3, RUCIO, withStorage, withMounted, type Refused } from './asks.ts';

/** Storage that is refused: 200 and NO with this reason at this path. */
export const REFUSED_STORAGE: readonly Refused[] = [
  [
    'above-capacity',
    'resources.storage',
    'more scratch space than there is',
    withStorage(
      '{name: big, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 1024Gb}',
    ),
  ],
  [
    'unknown-storage-type',
    'resources.storage[0].type',
    'an unknown storage type',
    withStorage('{name: a, type: "https://example.org/tape"}'),
  ],
  [
    'unknown-key',
    'resources.storage[0].lifetime',
    'a lifetime of ephemeral storage',
    withStorage(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 1Gb, lifetime: 1D}',
    ),
  ],
  [
    'storage-name-invalid',
    'resources.storage[0].name',
    'a storage name that is a path',
    withStorage('{name: ../../etc, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral"}'),
  ],
  [
    'storage-incomplete',
    'resources.storage[0].size',
    'persistent storage without a size',
    withStorage(`{name: a, type: "${PERSISTENT}"}`),
  ],
  [
    'duration-unreadable',
    'resources.storage[0].lifetime',
    'a lifetime that is none',
    withStorage(`{name: a, type: "${PERSISTENT}", size: 1Gb, lifetime: long}`),
  ],
  [
    'unknown-key',
    'resources.storage[0].size',
    'a size of what is there already',
    withStorage(
      `{name: a, type: "${PERSISTENT}", size: 1Gb, objectid: 5fbb5a65-1f5a-4dd5-a5d0-0a2b2ffbd0c1}`,
    ),
  ],
  [
    'unknown-object',
    'resources.storage[0].objectid',
    'an object that is no UUID',
    withStorage(`{name: a, type: "${PERSISTENT}", objectid: ../../etc}`),
  ],
  [
    'unknown-object',
    'resources.storage[0].objectid',
    'an object that nobody has',
    withMounted(`{name: a, type: "${PERSISTENT}", objectid: 5fbb5a65-1f5a-4dd5-a5d0-0a2b2ffbd0c1}`),
  ],
  [
    'storage-not-here',
    'resources.storage[0]',
    'persistent storage where there is none',
    withMounted(`{name: a, type: "${PERSISTENT}", size: 1Gb}`),
  ],
  [
    'storage-incomplete',
    'resources.storage[0].location',
    'a file on the web without a URL',
    withStorage('{name: a, type: "https://www.purl.org/ivoa-net/storage-type/https"}'),
  ],
  [
    'url-forbidden',
    'resources.storage[0].location',
    'a file in a private network',
    withStorage(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/https", location: "http://169.254.169.254/x"}',
    ),
  ],
  [
    'url-forbidden',
    'resources.storage[0].location',
    'a file of this machine as a volume',
    withStorage(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/https", location: "file:///srv/notebooks/x"}',
    ),
  ],
  [
    'url-forbidden',
    'resources.storage[0].endpoint',
    'an S3 service that the site does not name',
    withStorage(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/amazon-S3", endpoint: ' +
        '"https://s3.example.org", bucket: b0b}',
    ),
  ],
  [
    'url-forbidden',
    'resources.storage[0].bucket',
    'a bucket that the site does not open',
    withStorage(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/amazon-S3", endpoint: ' +
        '"https://S3.example.net/", bucket: secrets}',
    ),
  ],
  [
    'storage-value-invalid',
    'resources.storage[0].bucket',
    'a bucket that is none',
    withStorage(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/amazon-S3", endpoint: ' +
        '"https://s3.example.net", bucket: "../x"}',
    ),
  ],
  ...['a..b', '192.168.0.1', 'b'].map(
    (bucket) =>
      [
        'storage-value-invalid',
        'resources.storage[0].bucket',
        `the bucket ${bucket}`,
        withStorage(`{name: a, ${S3}, bucket: ${JSON.stringify(bucket)}}`),
      ] as const,
  ),
  ...['../../x', 'a/../b', './a', '..', 'é'.repeat(513)].flatMap((key) => [
    [
      'storage-value-invalid',
      'resources.storage[0].object',
      `the object ${key.slice(0, 9)}`,
      withStorage(`{name: a, ${S3}, bucket: open, object: ${JSON.stringify(key)}}`),
    ] as const,
    [
      'storage-value-invalid',
      'resources.storage[0].prefix',
      `the prefix ${key.slice(0, 9)}`,
      withStorage(`{name: a, ${S3}, bucket: open, prefix: ${JSON.stringify(key)}}`),
    ] as const,
  ]),
  [
    'storage-value-invalid',
    'resources.storage[0].prefix',
    'a line break in a prefix',
    withStorage(`{name: a, ${S3}, bucket: open, prefix: "a\\nb"}`),
  ],
  ...['..', '.', '../x', 'x/..'].flatMap((name) => [
    [
      'storage-value-invalid',
      'resources.storage[0].scope',
      `the scope ${name}`,
      withStorage(`{name: a, ${RUCIO}, scope: ${JSON.stringify(name)}, object: x}`),
    ] as const,
    [
      'storage-value-invalid',
      'resources.storage[0].object',
      `the Rucio name ${name}`,
      withStorage(`{name: a, ${RUCIO}, scope: x, object: ${JSON.stringify(name)}}`),
    ] as const,
  ]),
  [
    'duplicate-object',
    'resources.storage[1].objectid',
    'one object under two names',
    withMounted(
      ['5fbb5a65-1f5a-4dd5-a5d0-0a2b2ffbd0c1', '5FBB5A65-1f5a-4dd5-a5d0-0a2b2ffbd0c1']
        .map((id, index) => `{name: ${'ab'[index]}, type: "${PERSISTENT}", objectid: ${id}}`)
        .join(', '),
    ),
  ],
  [
    'storage-incomplete',
    'resources.storage[0].scope',
    'Rucio data without a scope',
    withStorage(
      '{name: a, type: "https://www.purl.org/ivoa-net/storage-type/rucio", endpoint: ' +
        '"https://rucio.example.org", object: x}',
    ),
  ],
];
