import type { ExternalStorage } from '../../../planner/ask.ts';
import { textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import type { ExternalSource } from '../../../storage/content.ts';
import { shown } from '../../../tasks/task.ts';
import { HTTP_DATA, RUCIO_DATA, S3_DATA } from '../../reading/external.ts';
import type { Notes } from '../../reading/notes.ts';
import { kindNamed } from '../kinds.ts';
import type { At, BrokerData } from '../view.ts';
import { noteSeveralFiles, type FoundData } from './found-data.ts';
import { readIvoa } from './ivoa.ts';
import { noteUnknown, noteUnknownInside } from './known-keys.ts';
import { readPluginStorage } from './plugin-storage.ts';
import { readSkao } from './skao.ts';

/** Data that others keep, which is fetched before the run. @param name in the ask */
export function readData(
  notes: Notes,
  at: At<BrokerData>,
  name: string,
  vocabulary: Vocabulary,
): ExternalStorage | undefined {
  const { item, path } = at;
  const uri = item.kind ?? item.type ?? '';
  const kind = KINDS_OF_DATA.get(kindNamed(uri, 'data') ?? '');
  if (kind === undefined) {
    const plugin = vocabulary.storageTypes.find(uri);
    if (plugin !== undefined) return readPluginStorage(notes, at, name, plugin);
    return notes.note({
      code: 'unknown-storage-type',
      path: `${path}.${item.type === undefined ? 'kind' : 'type'}`,
      ...(uri === '' ? {} : { asked: textQuantity(shown(uri)) }),
    });
  }
  noteUnknown(notes, item, ['storage', ...kind.keys], path);
  const found = kind.read(notes, at, vocabulary);
  return (
    found && { kind: 'external', name, ...found, isWritable: false, asked: askedOf(found.source) }
  );
}

type KindOfData = {
  readonly keys: readonly string[];
  readonly read: (
    notes: Notes,
    at: At<BrokerData>,
    vocabulary: Vocabulary,
  ) => FoundData | undefined;
};

const KINDS_OF_DATA: ReadonlyMap<string, KindOfData> = new Map<string, KindOfData>([
  ['simple', { keys: ['location'], read: readSimple }],
  ['s3', { keys: ['endpoint', 'template', 'bucket', 'object'], read: readS3 }],
  ['rucio', { keys: ['rucio', 'endpoint', 'scope', 'domain', 'object'], read: readRucio }],
  ['ivoa', { keys: ['ivoa'], read: readIvoa }],
  ['skao', { keys: ['ivoa', 'skao'], read: readSkao }],
]);

/** A file at a URL. */
function readSimple(
  notes: Notes,
  { item, path }: At<BrokerData>,
  from: Vocabulary,
): FoundData | undefined {
  return sized(HTTP_DATA.read(notes, item, path, from));
}

/** A bucket, or one object of it; an empty name of an object is the whole bucket. */
function readS3(
  notes: Notes,
  { item, path }: At<BrokerData>,
  from: Vocabulary,
): FoundData | undefined {
  const { endpoint, template, bucket, object } = item;
  if (template !== undefined && template !== '')
    notes.note({
      code: 'storage-value-invalid',
      path: `${path}.template`,
      asked: textQuantity(shown(template)),
      detail: 'URLs are made from endpoint, bucket and object only.',
    });
  const whole = object === '' ? {} : { object };
  return sized(S3_DATA.read(notes, { endpoint, bucket, ...whole }, path, from));
}

/** A file that Rucio knows: in a block of its own since 2025, where `domain` is `scope`. */
function readRucio(
  notes: Notes,
  { item, path }: At<BrokerData>,
  from: Vocabulary,
): FoundData | undefined {
  if (item.rucio === undefined) {
    const { endpoint, scope, domain, object } = item;
    return sized(RUCIO_DATA.read(notes, { endpoint, scope: scope ?? domain, object }, path, from));
  }
  const at = `${path}.rucio`;
  noteUnknownInside(notes, item.rucio, ['endpoint', 'scope', 'object', 'type'], at);
  noteSeveralFiles(notes, item.rucio.type, `${at}.type`);
  return sized(RUCIO_DATA.read(notes, item.rucio, at, from));
}

function sized(source: ExternalSource | undefined): FoundData | undefined {
  return source && { source, size: undefined };
}

/** The item as a client of the 2023 vocabulary writes it, who may read the offer, too. */
function askedOf(source: ExternalSource): ExternalStorage['asked'] {
  const { kind, ...rest } = source;
  switch (kind) {
    case 'http':
      return { type: `${STORAGE}https`, location: source.location };
    case 's3':
      return {
        type: `${STORAGE}amazon-S3`,
        endpoint: source.endpoint,
        bucket: source.bucket,
        ...source.what,
      };
    case 'rucio':
    case 'plugin':
      return { type: `${STORAGE}${kind}`, ...rest };
    default:
      return kind satisfies never;
  }
}

const STORAGE = 'https://www.purl.org/ivoa-net/storage-type/';
