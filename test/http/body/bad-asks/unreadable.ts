import { gzipSync } from 'node:zlib';
import { NOTEBOOK, task, withCompute, type Case } from './asks.ts';

const bomb = `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((key, index) => `${key}: &${key} [${Array(8).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
  .join('\n')}\ntask: ${task}`;

const xmlTask = `<task><type>${NOTEBOOK}</type></task>`;
/** XML that is not read; a document of its kind that is read stands in xml.test.ts. */
const XML: readonly (readonly [string, string])[] = [
  ['an XML document type', '<!DOCTYPE request><request/>'],
  [
    'an XML bomb of entities',
    '<!DOCTYPE request [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]><request><task>&b;</task></request>',
  ],
  [
    'an XML file of the machine',
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
  ],
  ['an XML entity that nobody defines', '<request><task>&nbsp;</task></request>'],
  ['XML nested 10,000 deep', `<request>${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}</request>`],
  ['XML nested 31 deep', `<request>${'<a>'.repeat(31)}<b/>${'</a>'.repeat(31)}</request>`],
  ['XML with a key given twice', `<request>${xmlTask}${xmlTask}</request>`],
  ['XML with an unknown attribute', `<request lang="en">${xmlTask}</request>`],
  ['XML with text beside elements', `<request>${xmlTask}now</request>`],
  ['XML with another root', `<ask>${xmlTask}</ask>`],
  ['XML in a namespace', `<request xmlns="urn:x">${xmlTask}</request>`],
  ['XML that is not closed', `<request>${xmlTask}`],
  ['XML with a processing instruction', `<?xml-stylesheet href="x"?><request>${xmlTask}</request>`],
  ['XML in Latin-1', `<?xml version="1.0" encoding="ISO-8859-1"?><request>${xmlTask}</request>`],
  [
    'XML with __proto__',
    `<request>${xmlTask}<__proto__><admin json="boolean">true</admin></__proto__></request>`,
  ],
  ['XML with a key __proto__', `<request>${xmlTask}<entry key="__proto__">x</entry></request>`],
  ['XML with NUL', `<request><task><type json="escaped">a\\u0000</type></task></request>`],
  [
    'XML with half a surrogate pair',
    `<request><task><type json="escaped">\\ud800</type></task></request>`,
  ],
  [
    'XML with a number that is too large',
    `<request>${xmlTask}<a json="number">1e999</a></request>`,
  ],
  ['JSON that says it is XML', '{"task": 1}'],
  ['no XML at all', ''],
];

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
  ...XML.map(
    ([what, body]) => [400, 'body-unreadable', what, { body, type: 'application/xml' }] as const,
  ),
  [
    400,
    'body-not-an-ask',
    'XML with cores as text',
    {
      body:
        `<request>${xmlTask}<resources><compute><resource><min-cores>two</min-cores>` +
        '</resource></compute></resources></request>',
      type: 'text/xml',
    },
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
