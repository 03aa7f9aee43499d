import { describe, expect, test } from '@jest/globals';
import { kubernetes } from '../../src/compute/kubernetes.ts';
import { simple } from '../../src/compute/simple.ts';
import { printProblem } from '../../src/site/load.ts';
import { readSite } from '../../src/site/read.ts';

function problemsOf(more: object): readonly string[] {
  const reading = read(more);
  return reading.ok
    ? []
    : reading.problems.map((problem) => printProblem(problem).replace(/^.*?\d: /, ''));
}

function read(more: object) {
  return readSite(
    '/etc/planner/site.yml',
    JSON.stringify({
      rules: ['rules.yml'],
      destinations: {
        here: { runner: 'process', 'task-types': ['executable'], cores: 1, memory: 1 },
      },
      ...more,
    }),
  );
}

const directory = { name: 'archive', type: 'directory', path: 'kept', size: '10GiB' };
const bucket = {
  name: 'bucket',
  type: 's3',
  endpoint: 'https://s3.example.org/',
  bucket: 'planner',
  size: '1TiB',
};

describe('the storage of a site', () => {
  test('is a directory beside the site file or a bucket, and keeps objects for a month by default', () => {
    const reading = read({
      storage: [
        directory,
        { ...bucket, credentials: 'keys', 'max-lifetime': 'P7D', for: ['here'] },
      ],
    });
    expect(reading.ok && reading.site.storage).toEqual([
      {
        name: 'archive',
        place: { kind: 'directory', path: '/etc/planner/kept', endpoint: undefined },
        size: 10_240,
        maxLifetime: 2_592_000,
        destinations: undefined,
      },
      {
        name: 'bucket',
        size: 1_048_576,
        maxLifetime: 604_800,
        destinations: new Set(['here']),
        place: {
          kind: 's3',
          service: {
            endpoint: 'https://s3.example.org',
            region: 'us-east-1',
            credentials: '/etc/planner/keys',
          },
          bucket: 'planner',
          prefix: '',
        },
      },
    ]);
  });

  test('has the token of a Rucio service in a file beside the site file', () => {
    const reading = read({
      fetch: {
        rucio: [
          { endpoint: 'https://rucio.example.org/', token: 'rucio.token', scopes: ['survey'] },
        ],
      },
    });
    expect(reading.ok && reading.site.rucio).toEqual([
      {
        endpoint: 'https://rucio.example.org',
        token: '/etc/planner/rucio.token',
        scopes: ['survey'],
      },
    ]);
  });

  test.each<readonly [string, object, string]>([
    [
      'two places of one name',
      { storage: [directory, directory] },
      "storage has two places named 'archive'",
    ],
    [
      'a directory without a path',
      { storage: [{ name: 'a', type: 'directory', size: 1 }] },
      "storage[0] needs 'path', the directory",
    ],
    [
      'a directory with a bucket',
      { storage: [{ ...directory, bucket: 'b' }] },
      "storage[0]: storage of type directory has no key 'bucket'",
    ],
    [
      'a bucket without a service',
      { storage: [{ name: 'a', type: 's3', bucket: 'b', size: 1 }] },
      "storage[0] needs 'endpoint', the URL of the S3 service",
    ],
    [
      'an endpoint that is none',
      { storage: [{ ...bucket, endpoint: 's3.example.org' }] },
      "storage[0].endpoint cannot be 's3.example.org' (a URL that begins with https:// or " +
        'http://, without a query and without a user)',
    ],
    [
      'no size',
      { storage: [{ name: 'a', type: 'directory', path: 'x' }] },
      "storage[0] needs 'size'",
    ],
    [
      'an unknown type',
      { storage: [{ ...directory, type: 'tape' }] },
      "storage[0].type must be one of directory, s3, not the string 'tape'",
    ],
    [
      'a destination that there is not',
      { storage: [{ ...directory, for: ['there'] }] },
      "storage[0].for: the site file has no destination 'there'",
    ],
    [
      'a name with capitals',
      { storage: [{ ...directory, name: 'Archive' }] },
      "storage[0].name must be lower-case letters, digits and dashes, not 'Archive'",
    ],
    [
      'credentials that open every bucket to everybody',
      { fetch: { s3: [{ endpoint: 'https://s3.example.org', credentials: 'keys' }] } },
      "fetch.s3[0] has credentials, so it needs 'buckets' (every client could read " +
        'whatever the credentials open: name the buckets that everybody may read)',
    ],
    [
      'a token of Rucio that opens every scope to everybody',
      { fetch: { rucio: [{ endpoint: 'https://rucio.example.org', token: 'rucio.token' }] } },
      "fetch.rucio[0] needs 'scopes' (every client could read whatever the token opens: " +
        'name the scopes that everybody may read)',
    ],
  ])('cannot have %s', (_, more, problem) => expect(problemsOf(more)).toContain(problem));
});

describe('the resource of a destination', () => {
  const withDestination = (more: object) => ({
    destinations: {
      here: { runner: 'process', 'task-types': ['executable'], cores: 1, memory: 1, ...more },
    },
  });

  test('is a type with its attributes and an architecture', () => {
    const reading = read(
      withDestination({ arch: 'arm64', compute: { kubernetes: { version: '1.29.3' } } }),
    );
    const here = reading.ok ? reading.site.destinations.get('here') : undefined;
    expect(here?.arch).toBe('arm64');
    expect(here?.platforms).toEqual(
      new Map([
        ['simple-compute', { type: simple, attributes: {} }],
        ['kubernetes', { type: kubernetes, attributes: { version: '1.29.3' } }],
      ]),
    );
  });

  test.each<readonly [object, string]>([
    [{ arch: 'vax' }, "destinations.here.arch must be one of amd64, arm64, not the string 'vax'"],
    [
      { compute: { moon: {} } },
      "destinations.here.compute: 'moon' is not a type of compute resource (known are kubernetes)",
    ],
    [{ compute: { kubernetes: {} } }, 'destinations.here.compute.kubernetes.version: it is needed'],
    [
      { compute: { kubernetes: { version: '1.29.3', nodes: 4 } } },
      'destinations.here.compute.kubernetes.nodes: it is not known; the only key is version',
    ],
  ])('cannot be %j', (more, problem) =>
    expect(problemsOf(withDestination(more))).toContain(problem),
  );
});
