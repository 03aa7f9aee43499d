import { gzipSync } from 'node:zlib';
import { NOTEBOOK, task, withCompute, type Case } from './asks.ts';

const bomb = `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((key, index) => `${key}: &${key} [${Array(8).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
  .join('\n')}\ntask: ${task}`;

/** Unreadable as an ask: 4xx with this code. */
export const UNREADABLE: readonly (readonly [number, string, ...Case])[] = [
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
