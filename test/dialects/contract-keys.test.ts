import { describe, expect, test } from '@jest/globals';
import { readSeedAsk } from '../../src/dialects/seed/read.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { siteOf } from '../harness/asks.ts';
import { contract } from '../harness/contract.ts';
import { readMarkdown } from '../docs/sources/markdown.ts';

const TYPE = 'https://www.purl.org/ivoa-net';
const TASK = { type: `${TYPE}/task-type/executable`, spec: { command: ['true'] } };
const OBJECT = '00000000-0000-4000-8000-000000000001';
const vocabulary = vocabularyOf(builtInKnown, siteOf({ a: {} }));

const TIMES = [
  { start: '2026-08-10T10:00Z', duration: 'PT1H' },
  { 'min-duration': 'PT1H', 'max-duration': 'PT2H' },
  { minduration: 'PT1H', maxduration: 'PT2H' },
];
const COSTS = [{ type: 'https://example.org/costs/credit', max: 20 }];
const STORAGE = [
  { type: 'persistent', size: '1Gb', lifetime: 'P1D' },
  { type: 'amazon-S3', objectid: OBJECT, lifecycle: 'managed', size: '1Gb' },
  { type: 'amazon-S3', endpoint: 'https://s3.example.org', bucket: 'sky', prefix: 'm31/' },
  { type: 'rucio', endpoint: 'https://rucio.example.org', scope: 'survey', object: 'm31.fits' },
  { type: 'https', location: 'https://example.org/a.fits' },
].map(({ type, ...more }) => ({ name: 'a', type: `${TYPE}/storage-type/${type}`, ...more }));

type Sample = {
  readonly schema: string;
  /** together they have every key of the schema */
  readonly parts: readonly object[];
  readonly askWith: (part: object) => object;
};

const SAMPLES: readonly Sample[] = [
  {
    schema: 'Ask',
    parts: [{ name: 'a', resources: {}, time: TIMES[0], costs: COSTS }, { datetime: TIMES[0] }].map(
      (more) => ({ task: TASK, ...more }),
    ),
    askWith: (ask) => ask,
  },
  { schema: 'Task', parts: [TASK], askWith: (task) => ({ task }) },
  {
    schema: 'Resources',
    parts: [{ compute: [], storage: [] }],
    askWith: (resources) => ({ task: TASK, resources }),
  },
  {
    schema: 'StorageItem',
    parts: STORAGE,
    askWith: (item) => ({ task: TASK, resources: { storage: [item] } }),
  },
  { schema: 'TimeItem', parts: TIMES, askWith: (time) => ({ task: TASK, time }) },
];

/** The keys of a schema; those of an object within it after a dot. */
function keysOf(schema: string): readonly string[] {
  const { properties, anyOf = [] } = Object(contract).components.schemas[schema];
  const all = properties ?? Object.assign({}, ...[anyOf].flat().map((one) => one.properties));
  return Object.entries<{ properties?: object }>(all)
    .flatMap(([key, { properties: inner = {} }]) => [
      key,
      ...Object.keys(inner).map((one) => `${key}.${one}`),
    ])
    .toSorted();
}

/** The keys of samples, as far as the schema names them. */
function keysIn(parts: readonly object[], known: readonly string[]): readonly string[] {
  const all = parts.flatMap((part) =>
    Object.entries(part).flatMap(([key, value]) => [
      key,
      ...Object.keys(Object(value))
        .map((one) => `${key}.${one}`)
        .filter((one) => known.includes(one)),
    ]),
  );
  return [...new Set(all)].toSorted();
}

describe('the keys of an ask in the contract', () => {
  test.each(SAMPLES)('are understood: $schema', ({ schema, parts, askWith }) => {
    expect(keysIn(parts, keysOf(schema))).toEqual(keysOf(schema));
    const refusals = parts.flatMap((part) => {
      const understood = readSeedAsk(Object(askWith(part)), vocabulary);
      return understood.ok ? [] : understood.refusals;
    });
    expect(refusals.filter(({ code }) => code === 'unknown-key')).toEqual([]);
  });

  test.each(['Ask', 'Resources', 'ComputeItem', 'Volume'])(
    'are explained in docs/reference/conversation.md: %s',
    async (schema) => {
      const { text } = await readMarkdown('docs/reference/conversation.md');
      const named = new Set([...text.matchAll(/[\w-]+/g)].map(([word]) => word));
      expect(keysOf(schema).filter((key) => !named.has(key.split('.').at(-1) ?? key))).toEqual([]);
    },
  );
});
