import type { ExternalStorage } from '../../../planner/ask.ts';
import type { ManagedStorage, PromisedStorage } from '../../../planner/offer.ts';
import { toGibibytes, type Mebibytes } from '../../../words/units.ts';
import { printDuration } from '../../duration.ts';
import { EXTRA, type BrokerExtra } from '../extras.ts';
import { uriOf } from '../generations.ts';
import { ownWordsOf } from '../read/known-keys.ts';
import type { BrokerStorage } from '../view.ts';
import { isRounded, printBounds } from './amounts.ts';
import { printComponent, type PartOf } from './parts.ts';
import type { PrintedFor, WireData, WireStorage } from './words.ts';

/** The storage and data resources of a promise, in the order of the request. */
export function printStored(
  to: PrintedFor,
  storage: readonly PromisedStorage[],
  of: PartOf,
): { readonly storage: WireStorage[]; readonly data: WireData[] } {
  const { view } = to;
  // The ask has storage first; a client of another dialect has data where it is external.
  const places = view
    ? storage.slice(0, view.storage.length)
    : storage.filter(({ kind }) => kind !== 'external');
  const sources = storage.filter((item) => !places.includes(item));
  return {
    storage: places.map((item, index) =>
      printPlace(to, item, of, view?.storage[index]?.item, index),
    ),
    data: sources.map((item, index) => {
      const asked = view?.data[index]?.item;
      const uri = uriOf(to.spelling, 'data', 'simple-data-resource');
      const own = asked ? ownWordsOf(asked) : item.kind === 'external' ? wordsOf(to, item) : {};
      const named = asked ?? { name: item.name, ...kindOfSource(to, item) };
      return { ...own, ...printComponent(to, of, `/data/${index}`, named, uri) };
    }),
  };
}

function printPlace(
  to: PrintedFor,
  item: PromisedStorage,
  of: PartOf,
  asked: BrokerStorage | undefined,
  index: number,
): WireStorage {
  const { spelling } = to;
  const uri = uriOf(spelling, 'storage', 'simple-storage-resource');
  const size = item.size === undefined ? undefined : sizeOf(item.size);
  const said = typeof asked?.size === 'number' ? { min: asked.size } : asked?.size;
  const extras: BrokerExtra[] = [
    ...(item.kind === 'managed' ? [persistenceOf(item)] : []),
    ...(size !== undefined && isRounded(size) ? [{ kind: EXTRA.exact, size }] : []),
  ];
  return {
    ...printComponent(to, of, `/storage/${index}`, asked ?? { name: item.name }, uri),
    ...(size === undefined || size.max === 0 ? {} : { size: printBounds(spelling, size, said) }),
    ...(asked?.data === undefined ? {} : { data: asked.data }),
    ...(extras.length === 0 ? {} : { extras }),
  };
}

function sizeOf(size: Mebibytes): { readonly min: number; readonly max: number } {
  return { min: toGibibytes(size), max: toGibibytes(size) };
}

/** Storage that outlives the run: where it is, and for how long. */
function persistenceOf({ object, type, endpoint, lifetime }: ManagedStorage): BrokerExtra {
  return {
    kind: EXTRA.persistence,
    object,
    type,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(lifetime === undefined ? {} : { lifetime: printDuration(lifetime) }),
  };
}

/** What a client of another dialect asked to fetch. */
function wordsOf(_to: PrintedFor, { source }: ExternalStorage): Readonly<Record<string, unknown>> {
  switch (source.kind) {
    case 'http':
      return { location: source.location };
    case 's3':
      return {
        endpoint: source.endpoint,
        bucket: source.bucket,
        ...('object' in source.what ? source.what : {}),
      };
    case 'rucio': {
      const { kind: _kind, ...rucio } = source;
      return { rucio: { ...rucio, type: 'FILE' } };
    }
    case 'plugin':
      return source.spec;
    default:
      return source satisfies never;
  }
}

function kindOfSource({ spelling }: PrintedFor, item: PromisedStorage) {
  if (item.kind !== 'external') return {};
  const { source, asked } = item;
  const name = NAMES[source.kind];
  return { kind: name === undefined ? asked.type : uriOf(spelling, 'data', name) };
}

const NAMES: Readonly<Record<ExternalStorage['source']['kind'], string | undefined>> = {
  http: 'simple-data-resource',
  s3: 'S3-data-resource',
  rucio: 'rucio-data-resource',
  plugin: undefined,
};
