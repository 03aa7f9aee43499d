import { nameIn, type BrokerData, type BrokerStorage, type RequestView } from './view.ts';

/** A storage or data resource of a request, as volumes find it. */
export type Shelf = {
  readonly what: 'storage' | 'data';
  /** its name in the ask: a folder can have it */
  readonly name: string;
  /** what a volume may call it: its name and its uuid */
  readonly calls: readonly string[];
  /** of a storage resource: the data that is put into it */
  readonly holds: readonly Shelf[];
};

/** The resources of a request that volumes can mount: storage first, then data. */
export type Shelves = readonly Shelf[];

/** Names the resources. Clients name them for people, or do not name them. */
export function shelvesOf({ storage, data }: RequestView): Shelves {
  const taken = new Set<string>();
  const of = (
    item: BrokerStorage | BrokerData,
    what: Shelf['what'],
    index: number,
  ): Omit<Shelf, 'holds'> => {
    const name = freeName(nameIn(item) ?? `${what}-${index}`, taken);
    taken.add(name);
    const calls = [nameIn(item), item.meta?.uuid, item['uuid']];
    return { what, name, calls: calls.filter((call) => typeof call === 'string') };
  };
  const places = storage.map(({ item }, index) => of(item, 'storage', index));
  const sources = data.map(({ item }, index) => ({ ...of(item, 'data', index), holds: [] }));
  const isIn = (source: Shelf, index: number, place: number): boolean => {
    const said = data[index]?.item.storage;
    const listed = storage[place]?.item.data ?? [];
    return (
      (said !== undefined && places[place]?.calls.includes(said)) ||
      source.calls.some((call) => listed.includes(call))
    );
  };
  return [
    ...places.map((place, at) => ({
      ...place,
      holds: sources.filter((source, index) => isIn(source, index, at)),
    })),
    ...sources,
  ];
}

/** The resource that a volume or another resource calls so. */
export function findShelf(shelves: Shelves, call: string, what?: Shelf['what']): Shelf | undefined {
  return shelves.find(
    (shelf) => (what === undefined || shelf.what === what) && shelf.calls.includes(call),
  );
}

const LONGEST = 63;

/** A name that is safe for a folder and is not taken. */
function freeName(said: string, taken: ReadonlySet<string>): string {
  const safe = said.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  const base = (safe === '' ? 'volume' : safe).slice(0, LONGEST);
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const name = `${base.slice(0, LONGEST - 5)}-${number}`;
    if (!taken.has(name)) return name;
  }
}
