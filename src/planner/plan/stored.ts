import type { Amount } from '../../schedule/amount.ts';
import type { Instant, StartRange } from '../../schedule/interval.ts';
import {
  earliestFit,
  freeOverTime,
  mostFree,
  type Free,
  type Occupation,
  type Taken,
} from '../../schedule/profile.ts';
import type { SiteStore } from '../../site/read/storage.ts';
import { printedPlace } from '../../storage/place.ts';
import type { DestinationId } from '../../words/ids.ts';
import { printInstant } from '../../words/iso8601.ts';
import { mebibytes, millicores, seconds, type Mebibytes, type Seconds } from '../../words/units.ts';
import type { PersistentStorage } from '../ask.ts';
import { longestLifetime, sizeOfAll, type Storing } from '../judge/storing.ts';
import type { PromisedStorage } from '../offer.ts';
import { compared, textQuantity, type Refusal } from '../refusal.ts';

/** What is reserved of each store from now on, as scratch space of an amount. */
export type StoreBook = ReadonlyMap<string, readonly Taken[]>;

/** A start and the store of new volumes; undefined: there are none. */
export type Stored = { readonly startsAt: Instant; readonly store: SiteStore | undefined };

/** The same items with the new volumes in another store. */
export function inStore(
  storage: readonly PromisedStorage[],
  store: SiteStore,
): readonly PromisedStorage[] {
  return storage.map((item) =>
    item.kind === 'managed' && item.lifetime !== undefined
      ? { ...item, backend: store.name, ...printedPlace(store.place) }
      : item,
  );
}

/** The first start for which a store has room, at the first such store of the site. */
export function earliestStored(
  { items, stores, kept: objects }: Storing,
  book: StoreBook,
  occupation: Occupation,
  starts: StartRange,
): Stored | undefined {
  // Existing objects must outlast the run, and later runs end later.
  if (
    objects.some(
      ({ found }) => found !== undefined && occupation.end(starts.earliest) > found.endsAt,
    )
  )
    return undefined;
  if (items.length === 0) return { startsAt: starts.earliest, store: undefined };
  const found = stores.flatMap((store) => {
    const startsAt = earliestFit(
      freeOf(store, book),
      spaceOf(sizeOfAll(items)),
      untilLifetimesEnd(occupation, items),
      starts,
    );
    return startsAt === undefined ? [] : [{ startsAt, store }];
  });
  return found.toSorted((a, b) => a.startsAt - b.startsAt)[0];
}

/** Why the storage of an ask fits at no start of a window. */
export function storingRefusals(
  { items, stores, kept: objects }: Storing,
  book: StoreBook,
  {
    occupation,
    starts,
    duration,
  }: { readonly occupation: Occupation; readonly starts: StartRange; readonly duration: Seconds },
  destination: DestinationId,
): readonly Refusal[] {
  const end = occupation.end(starts.earliest);
  const over = objects.flatMap(({ item, found }): readonly Refusal[] =>
    found === undefined || end <= found.endsAt
      ? []
      : [
          {
            code: 'object-ends-earlier',
            place: { what: 'object', item },
            destination,
            asked: textQuantity(printInstant(end)),
            limit: textQuantity(printInstant(found.endsAt)),
            ...longestUntil(found.endsAt, end, duration),
          },
        ],
  );
  const [first] = items;
  if (
    first === undefined ||
    earliestStored({ items, stores, kept: [] }, book, occupation, starts) !== undefined
  )
    return over;
  const free = [
    0,
    ...stores.map(
      (store) =>
        mostFree(freeOf(store, book), untilLifetimesEnd(occupation, items), starts).scratch,
    ),
  ];
  return [
    ...over,
    {
      code: 'no-storage-space',
      place: { what: 'size', item: first.item },
      destination,
      ...compared('storage', sizeOfAll(items), Math.max(...free), sizeOfAll(items)),
    },
  ];
}

/** What must be held of each store, until the end of the last lifetime. */
export function storedUntil(
  storage: readonly PromisedStorage[],
  end: Instant,
): ReadonlyMap<string, { readonly size: Mebibytes; readonly end: Instant }> {
  const fresh = storage
    .filter((item) => item.kind === 'managed')
    .filter(({ lifetime }) => lifetime !== undefined);
  return new Map(
    [...Map.groupBy(fresh, ({ backend }) => backend)].map(([backend, items]) => [
      backend,
      {
        size: mebibytes(items.reduce((sum, { size }) => sum + size, 0)),
        end: end + Math.max(...items.map(({ lifetime }) => lifetime ?? seconds(0))) * 1000,
      },
    ]),
  );
}

/** Space in a store, as the scratch space of an amount. */
export function spaceOf(size: number): Amount {
  return { cores: millicores(0), memory: mebibytes(0), scratch: mebibytes(size), gpus: undefined };
}

function freeOf(store: SiteStore, book: StoreBook): Free {
  return freeOverTime(
    { cores: 0, memory: 0, scratch: store.size, gpus: new Map() },
    book.get(store.name) ?? [],
  );
}

/** From the run's preparation until the end of the last lifetime. */
function untilLifetimesEnd(
  { begin, end }: Occupation,
  items: readonly PersistentStorage[],
): Occupation {
  return { begin, end: (start) => end(start) + longestLifetime(items) * 1000 };
}

/** The longest run, in seconds, that ends before an object does. */
function longestUntil(endsAt: Instant, end: Instant, duration: Seconds): Pick<Refusal, 'longest'> {
  const longest = duration - Math.ceil((end - endsAt) / 1000);
  return longest > 0 ? { longest } : {};
}
