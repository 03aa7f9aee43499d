import type { SiteStore } from '../../site/read/storage.ts';
import type { Site } from '../../site/site.ts';
import { printedPlace } from '../../storage/place.ts';
import type { DestinationId } from '../../words/ids.ts';
import { mebibytes, type Mebibytes } from '../../words/units.ts';
import type { Ask, AskStorage, KeptStorage, PersistentStorage, SaidPlace } from '../ask.ts';
import type { Objection } from './objection.ts';
import type { ManagedStorage, PromisedStorage } from '../offer.ts';
import { storableSize } from './parts.ts';
import { compared, numberQuantity, textQuantity, type Refusal } from '../refusal.ts';

/** The persistent volumes of an ask at one destination: new ones, their stores, and existing ones. */
export type Storing = {
  readonly items: readonly PersistentStorage[];
  /** in the site's order; all new volumes of a task go to one of them */
  readonly stores: readonly SiteStore[];
  readonly kept: readonly KeptStorage[];
};

/** The size that an ask adds to a store. */
export function storedSize(ask: Ask): Mebibytes {
  return sizeOfAll(persistentOf(ask));
}

/** Does an ask use managed storage? */
export function storesAnything(ask: Ask): boolean {
  return ask.storage.some(({ kind }) => kind === 'persistent' || kind === 'kept');
}

/** An ask without the objects that do not exist, and one refusal of the whole site for each. */
export function withoutMissing(ask: Ask): {
  readonly rest: Ask;
  readonly refusals: readonly Refusal[];
} {
  const missing = ask.storage.filter(isMissing);
  if (missing.length === 0) return { rest: ask, refusals: [] };
  const refusals = missing.map(({ object, item }): Refusal => ({
    code: 'unknown-object',
    place: { what: 'object', item },
    asked: textQuantity(object),
  }));
  return { rest: { ...ask, storage: ask.storage.filter((item) => !isMissing(item)) }, refusals };
}

/** The stores that could take an ask at a destination, or every reason why none can. */
export function storingOf(
  ask: Ask,
  { storage }: Pick<Site, 'storage'>,
  destination: DestinationId,
): { readonly storing: Storing; readonly objections: readonly Objection[] } {
  const here = storage.filter(({ destinations }) => destinations?.has(destination) !== false);
  const [items, kept] = [persistentOf(ask), keptOf(ask)];
  const wanted = here.filter((store) => items.every(({ place }) => isStoreAt(store, place)));
  const stores = wanted.filter(
    ({ size, maxLifetime }) => sizeOfAll(items) <= size && longestLifetime(items) <= maxLifetime,
  );
  return {
    storing: { items, stores, kept },
    objections: [...newStorageObjections(items, wanted), ...keptStorageObjections(kept, here)],
  };
}

/** The storage items of an ask, with the store of each persistent one. */
export function promisedStorage(
  items: readonly AskStorage[],
  chosen: SiteStore | undefined,
  all: readonly SiteStore[],
): readonly PromisedStorage[] {
  return items.map((item): PromisedStorage => {
    if (item.kind === 'ephemeral' || item.kind === 'external') return item;
    const store =
      item.kind === 'persistent' ? chosen : all.find(({ name }) => name === item.found?.backend);
    if (store === undefined) throw new Error(`the volume ${item.name} has no place`);
    return managedStorage(item, store);
  });
}

/** The size of new volumes, as their store counts it. */
export function sizeOfAll(items: readonly PersistentStorage[]): Mebibytes {
  return storableSize(items.reduce((sum, { size }) => sum + size, 0));
}

/** In seconds; 0 without volumes. */
export function longestLifetime(items: readonly PersistentStorage[]): number {
  return Math.max(0, ...items.map(({ lifetime }) => lifetime));
}

function persistentOf({ storage }: Ask): readonly PersistentStorage[] {
  return storage.filter((item) => item.kind === 'persistent');
}

function isMissing(item: AskStorage): item is KeptStorage {
  return item.kind === 'kept' && item.found === undefined;
}

function keptOf({ storage }: Ask): readonly KeptStorage[] {
  return storage.filter((item) => item.kind === 'kept');
}

/** Is a store at the place that an offer named? */
function isStoreAt({ place }: SiteStore, said: SaidPlace | undefined): boolean {
  const { type, endpoint } = printedPlace(place);
  return said === undefined || (said.type === type && said.endpoint === endpoint);
}

function newStorageObjections(
  items: readonly PersistentStorage[],
  here: readonly SiteStore[],
): readonly Objection[] {
  const [first] = items;
  if (first === undefined) return [];
  if (here.length === 0)
    return [{ code: 'storage-not-here', place: { what: 'storage', item: first.item } }];
  const [largest, longest] = [
    Math.max(...here.map(({ size }) => size)),
    Math.max(...here.map(({ maxLifetime }) => maxLifetime)),
  ];
  const tooLong = items
    .filter(({ lifetime }) => lifetime > longest)
    .map(({ item, lifetime }): Objection => ({
      code: 'lifetime-too-long',
      place: { what: 'lifetime', item },
      asked: numberQuantity(lifetime),
      limit: numberQuantity(longest),
      detail: 'Both in seconds.',
    }));
  const asked = sizeOfAll(items);
  const tooLarge: readonly Objection[] =
    asked > largest
      ? [
          {
            code: 'above-capacity',
            place: { what: 'size', item: first.item },
            ...compared('storage', asked, largest, asked),
          },
        ]
      : [];
  if (tooLong.length > 0 || tooLarge.length > 0) return [...tooLong, ...tooLarge];
  const fits = here.some(
    ({ size, maxLifetime }) => asked <= size && longestLifetime(items) <= maxLifetime,
  );
  return fits
    ? []
    : [
        {
          code: 'storage-not-here',
          place: { what: 'storage', item: first.item },
          detail: 'One store is large enough, another keeps data long enough, but none does both.',
        },
      ];
}

function keptStorageObjections(
  kept: readonly KeptStorage[],
  here: readonly SiteStore[],
): readonly Objection[] {
  return kept.flatMap(({ item, found, said }): readonly Objection[] => {
    if (!here.some((store) => store.name === found?.backend && isStoreAt(store, said?.place))) {
      return [
        {
          code: 'storage-not-here',
          place: { what: 'storage', item },
          limit: textQuantity(here.map(({ name }) => name).join(', ')),
        },
      ];
    }
    return found === undefined || said?.size === undefined || said.size === found.size
      ? []
      : [
          {
            code: 'storage-value-invalid',
            place: { what: 'size', item },
            ...compared('storage', said.size, found.size, said.size),
            detail: 'The object has another size.',
          },
        ];
  });
}

function managedStorage(item: PersistentStorage | KeptStorage, store: SiteStore): ManagedStorage {
  return {
    kind: 'managed',
    name: item.name,
    object: item.object,
    backend: store.name,
    ...printedPlace(store.place),
    size: item.kind === 'persistent' ? item.size : (item.found?.size ?? mebibytes(0)),
    lifetime: item.kind === 'persistent' ? item.lifetime : undefined,
  };
}
