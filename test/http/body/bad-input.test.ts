import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { startTestService, type TestService } from '../../harness/service.ts';
import { gpusOf } from '../../harness/site.ts';

const NOTEBOOK = 'https://www.purl.org/ivoa-net/task-type/jupyter-notebook';
const A100 = 'https://example.org/gpu/a100';
const EXECUTABLE = 'https://www.purl.org/ivoa-net/task-type/executable';
const SITE = {
  rules: ['rules.yml'],
  fetch: {
    'file-roots': ['/srv/notebooks'],
    s3: [{ endpoint: 'https://s3.example.net', buckets: ['open'] }],
  },
  destinations: {
    here: {
      runner: 'notebook',
      'task-types': ['jupyter-notebook', 'python-program'],
      cores: 8,
      memory: '16GiB',
      scratch: '100GiB',
    },
    gpus: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 8,
      memory: '16GiB',
      scratch: '100GiB',
      ...gpusOf({ [A100]: 2 }),
    },
  },
};
const RULES = {
  destinations: {
    here: { runner: 'notebook', max_accepted_cores: 8, max_accepted_mem: 16 },
    gpus: { runner: 'process', max_accepted_cores: 8, max_accepted_mem: 16 },
  },
};

const task = `{type: "${NOTEBOOK}", spec: {notebook: "https://example.org/a.ipynb"}}`;
function withSpec(spec: string): string {
  return `task: {type: "${NOTEBOOK}", spec: ${spec}}`;
}
function withCompute(item: string): string {
  return `task: ${task}\nresources: {compute: [${item}]}`;
}
function withStorage(item: string): string {
  return `task: ${task}\nresources: {storage: [${item}]}`;
}

const PERSISTENT = 'https://www.purl.org/ivoa-net/storage-type/persistent';
function withMounted(item: string, mode = 'r'): string {
  return (
    `task: ${task}\nresources: {compute: [{volumes: [{name: a, path: /data, mode: ` +
    `${mode}}]}], storage: [${item}]}`
  );
}
const EPHEMERAL = 'https://www.purl.org/ivoa-net/storage-type/ephemeral';
const S3 =
  'type: "https://www.purl.org/ivoa-net/storage-type/amazon-S3", endpoint: "https://s3.example.net"';
const RUCIO =
  'type: "https://www.purl.org/ivoa-net/storage-type/rucio", endpoint: "https://rucio.example.org"';
function withPaths(paths: readonly string[], mode = 'rw', type = `"${EPHEMERAL}"`): string {
  const volumes = paths.map(
    (path, index) =>
      `{name: v${index}, path: ${JSON.stringify(path)}, mode: ${index === 0 ? mode : 'rw'}}`,
  );
  const storage = paths.map(
    (_, index) => `{name: v${index}, type: ${index === 0 ? type : `"${EPHEMERAL}"`}}`,
  );
  return `task: ${task}
resources:
  compute: [{volumes: [${volumes.join(', ')}]}]
  storage: [${storage.join(', ')}]`;
}

type Sent = {
  readonly body: string | Uint8Array;
  readonly type?: string;
  readonly encoding?: string;
};
type Case = readonly [name: string, sent: string | Sent];

const bomb = `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((key, index) => `${key}: &${key} [${Array(8).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
  .join('\n')}\ntask: ${task}`;

/** Unreadable as an ask: 4xx with this code. */
const UNREADABLE: readonly (readonly [number, string, ...Case])[] = [
  [400, 'body-unreadable', 'a YAML bomb of aliases', bomb],
  [400, 'body-unreadable', 'a merge key', `base: &b {type: x}\ntask: {<<: *b}`],
  [413, 'body-too-large', 'a body of 1 MB', `task: {type: "${'x'.repeat(1_048_576)}"}`],
  [
    400,
    'body-unreadable',
    'YAML nested 1,000 deep',
    `task: ${'['.repeat(1000)}${']'.repeat(1000)}`,
  ],
  [
    400,
    'body-unreadable',
    'JSON nested 1,000 deep',
    { body: `{"task": ${'['.repeat(1000)}${']'.repeat(1000)}}`, type: 'application/json' },
  ],
  [400, 'body-unreadable', 'NaN as YAML writes it', withCompute('{min-cores: .nan}')],
  [400, 'body-unreadable', 'infinity as YAML writes it', withCompute('{min-cores: .inf}')],
  [
    400,
    'body-unreadable',
    'NaN in JSON',
    { body: '{"task": {"type": NaN}}', type: 'application/json' },
  ],
  [400, 'body-not-an-ask', 'NaN as text where a number belongs', withCompute('{min-cores: NaN}')],
  [400, 'body-unreadable', 'a __proto__ key', `task: ${task}\n__proto__: {admin: true}`],
  [
    400,
    'body-unreadable',
    'a __proto__ key deep in JSON',
    { body: `{"task": {"type": "x", "spec": {"__proto__": {"a": 1}}}}`, type: 'application/json' },
  ],
  [
    400,
    'body-unreadable',
    'a constructor key',
    `task: {type: x, spec: {constructor: {prototype: 1}}}`,
  ],
  [400, 'body-unreadable', 'a key given twice in YAML', `task: ${task}\ntask: ${task}`],
  [
    400,
    'body-unreadable',
    'a key given twice in JSON',
    { body: '{"task": {"type": "a", "type": "b"}}', type: 'application/json' },
  ],
  [
    400,
    'body-unreadable',
    'an XML document with a DOCTYPE',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  ],
  [
    415,
    'media-type-unsupported',
    'an XML document that says so',
    { body: '<!DOCTYPE a><a/>', type: 'application/xml' },
  ],
  [
    415,
    'media-type-unsupported',
    'a form',
    { body: 'task=x', type: 'application/x-www-form-urlencoded' },
  ],
  [
    400,
    'body-unreadable',
    'bytes that are not UTF-8',
    { body: new Uint8Array([0x74, 0x61, 0xff, 0xfe]) },
  ],
  [
    400,
    'body-unreadable',
    'NUL in a text of JSON',
    { body: '{"task": {"type": "x", "spec": {"source": "a\\u0000b"}}}', type: 'application/json' },
  ],
  [400, 'body-unreadable', 'NUL in a text of YAML', 'task: {type: "x\\0"}'],
  [
    400,
    'body-unreadable',
    'NUL in a key',
    { body: '{"task": {"type": "x", "a\\u0000": 1}}', type: 'application/json' },
  ],
  [
    400,
    'body-unreadable',
    'half a surrogate pair',
    { body: '{"task": {"type": "x", "spec": {"source": "\\ud800"}}}', type: 'application/json' },
  ],
  [
    400,
    'body-unreadable',
    'what says that it is gzip and is not',
    { body: `task: ${task}`, encoding: 'gzip' },
  ],
  [
    415,
    'media-type-unsupported',
    'an encoding that nobody knows',
    { body: `task: ${task}`, encoding: 'x-secret' },
  ],
  [
    413,
    'body-too-large',
    'a bomb of gzip',
    { body: gzipSync(Buffer.alloc(1_048_576, 'x')), encoding: 'gzip' },
  ],
  [400, 'body-unreadable', 'text that is not YAML', 'task: [unclosed'],
  [400, 'body-unreadable', 'two documents', `task: ${task}\n---\ntask: ${task}`],
  [400, 'body-unreadable', 'an unknown YAML tag', 'task: !!js/function "function(){}"'],
  [400, 'body-unreadable', 'no body', ''],
  [400, 'body-not-an-ask', 'a list', '[1, 2]'],
  [400, 'body-not-an-ask', 'a number', '5'],
  [400, 'body-not-an-ask', 'no task', 'resources: {}'],
  [400, 'body-not-an-ask', 'a task that is text', 'task: notebook'],
  [400, 'body-not-an-ask', 'a task without a type', 'task: {spec: {}}'],
  [400, 'body-not-an-ask', 'a task type that is a number', 'task: {type: 5}'],
  [400, 'body-not-an-ask', 'a spec that is a list', `task: {type: "${NOTEBOOK}", spec: []}`],
  [400, 'body-not-an-ask', 'resources that are a list', `task: ${task}\nresources: []`],
  [
    400,
    'body-not-an-ask',
    'compute that is a mapping',
    `task: ${task}\nresources: {compute: {min-cores: 2}}`,
  ],
  [400, 'body-not-an-ask', 'cores as text', withCompute('{min-cores: "8"}')],
  [400, 'body-not-an-ask', 'memory as a list', withCompute('{min-memory: [16]}')],
  [400, 'body-not-an-ask', 'a GPU without a type', withCompute('{gpu: {count: 1}}')],
  [400, 'body-not-an-ask', 'half a GPU', withCompute('{gpu: {type: x, count: 0.5}}')],
  [400, 'body-not-an-ask', 'a null task in the wrapper', 'request: {task: null}'],
  [400, 'body-not-an-ask', 'something beside the wrapper', `request: {task: ${task}}\nextra: 1`],
];

/** Readable, but impossible or not understood: 200 and NO with this reason at this path. */
const REFUSED: readonly (readonly [string, string, ...Case])[] = [
  [
    'unknown-task-type',
    'task.type',
    'an unknown task type',
    'task: {type: "https://www.purl.org/ivoa-net/task-type/crystal-ball"}',
  ],
  [
    'unknown-task-type',
    'task.type',
    "the right name under somebody else's URL",
    'task: {type: "https://example.org/jupyter-notebook"}',
  ],
  ['unknown-key', 'resourcse', 'an unknown key at the top', `task: ${task}\nresourcse: {}`],
  [
    'unknown-key',
    'task.kind',
    'an unknown key in the task',
    `task: {type: "${NOTEBOOK}", kind: 1, spec: {notebook: "https://example.org/a.ipynb"}}`,
  ],
  [
    'unknown-key',
    'resources.network',
    'an unknown key in the resources',
    `task: ${task}\nresources: {network: fast}`,
  ],
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
  [
    'notebook-invalid',
    'task.spec.content',
    'an inline notebook that is not JSON',
    withSpec('{content: "not json"}'),
  ],
  [
    'notebook-invalid',
    'task.spec.content',
    'an inline notebook that is not a notebook',
    withSpec('{content: {hello: world}}'),
  ],
  [
    'task-spec-unknown-key',
    'task.spec.kernel',
    'an unknown key of the task type',
    withSpec('{notebook: "https://example.org/a.ipynb", kernel: R}'),
  ],
  [
    'task-spec-invalid',
    'task.spec.notebook',
    'a notebook that is a number',
    withSpec('{notebook: 5}'),
  ],
  ['task-spec-invalid', 'task.spec', 'neither a notebook nor its content', withSpec('{}')],
  ['url-invalid', 'task.spec.notebook', 'a URL that is none', withSpec('{notebook: "a.ipynb"}')],
  ...[
    'http://127.0.0.1/a.ipynb',
    'http://localhost/a',
    'http://10.0.0.7/a',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/a',
    'http://[::ffff:10.0.0.1]/a',
    'http://2130706433/a',
    'http://0x7f.1/a',
    'ftp://example.org/a',
    'file:///etc/passwd',
    'file:///srv/notebooks/../../etc/passwd',
    'file:///srv/notebooks/%2e%2e/%2e%2e/etc/passwd',
    'https://user:secret@example.org/a',
    'data:text/plain,x',
    'javascript:alert(1)',
  ].map(
    (url) =>
      [
        'url-forbidden',
        'task.spec.notebook',
        `the URL ${url}`,
        withSpec(`{notebook: "${url}"}`),
      ] as const,
  ),
];

describe('wrong input', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(SITE, RULES);
  });
  afterAll(() => service.close());

  const send = async (
    sent: string | Sent,
  ): Promise<{ status: number; document: Record<string, unknown>; text: string }> => {
    const { body, type, encoding } = typeof sent === 'string' ? { body: sent } : sent;
    const headers = {
      'Content-Type': type ?? 'application/yaml',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    };
    const response = await fetch(`${service.url}/request`, { method: 'POST', body, headers });
    const text = await response.text();
    return { status: response.status, document: Object(load(text)), text };
  };
  const asksStillWork = async (): Promise<void> => {
    expect((await send(`task: ${task}`)).document).toMatchObject({ response: { result: 'YES' } });
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
  };

  test.each(UNREADABLE)('%i %s: %s', async (status, code, _, sent) => {
    const { status: got, document } = await send(sent);
    expect({ status: got, code: document['code'] }).toEqual({ status, code });
    expect(String(document['detail']).length).toBeGreaterThan(10);
    await asksStillWork();
  });

  test('that announces a size above the limit is refused before it arrives', async () => {
    const { host, hostname, port } = new URL(service.url);
    for (const [path, type] of [
      ['/request', 'application/yaml'],
      ['/jobs', 'application/x-www-form-urlencoded'],
    ]) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: 1000000000\r\n\r\nt`,
      );
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
      socket.destroy();
    }
  });

  test.each(REFUSED)('NO %s at %s: %s', async (code, path, _, sent) => {
    const { status, document } = await send(sent);
    expect(status).toBe(200);
    expect(document).toMatchObject({
      response: {
        result: 'NO',
        reasons: expect.arrayContaining([
          expect.objectContaining({ code, path, text: expect.any(String) }),
        ]),
      },
    });
    await asksStillWork();
  });

  test.each([
    ['x', 'x/y'],
    ['/x/y', '/x'],
    ['x', 'xy'],
    ['a'.repeat(255), `${'語'.repeat(85)}/b`],
    ['/x', 'x'],
  ])('may have the volume paths %s and %s, which are two places', async (one, other) => {
    const { document } = await send(withPaths([one, other]));
    expect(document).toMatchObject({ response: { result: 'YES' } });
    await asksStillWork();
  });

  test('is answered with every reason, not only the first', async () => {
    const { document } = await send(
      withCompute('{min-cores: -1, foo: 1, gpu: {type: x, bar: 2}}, {}'),
    );
    const { reasons } = Object(document['response']);
    expect(
      Array.isArray(reasons) ? reasons.map(({ code, path }) => `${code} ${path}`) : [],
    ).toEqual([
      'unknown-key resources.compute[0].foo',
      'amount-not-positive resources.compute[0].min-cores',
      'unknown-key resources.compute[0].gpu.bar',
    ]);
  });

  test('has 100 reasons at most, however many unknown keys there are', async () => {
    const { document } = await send(
      `task: ${task}\n${Array.from({ length: 5000 }, (_, n) => `k${n}: 1`).join('\n')}`,
    );
    expect(Object(document['response']).reasons).toHaveLength(100);
  });

  test('with the wrong shape everywhere has an answer as short as the first 100 faults', async () => {
    const body = `task: ${task}\nresources: {storage: [${'{},'.repeat(20_000)}]}`;
    for (const path of ['/request', '/jobs']) {
      const response = await fetch(service.url + path, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/yaml' },
      });
      expect([response.status, (await response.text()).length < 20_000]).toEqual([400, true]);
    }
    expect(Object((await send(body)).document).errors).toHaveLength(100);
  });

  test('with the wrong shape names every place that is wrong', async () => {
    const { document } = await send(withCompute('{min-cores: "8", gpu: {count: 1}}'));
    expect(document).toMatchObject({
      errors: [
        { path: 'resources.compute[0].min-cores', text: 'must be number' },
        { path: 'resources.compute[0].gpu.type', text: expect.any(String) },
      ],
    });
  });
});
