import type { components } from '../../generated/api.d.ts';
import type { BrokerRequest } from './generations.ts';

type Schemas = components['schemas'];
export type BrokerExecutable = Schemas['BrokerExecutable'];
export type BrokerCompute = Schemas['BrokerCompute'];
export type BrokerStorage = Schemas['BrokerStorage'];
export type BrokerData = Schemas['BrokerData'];
export type BrokerTime = Schemas['BrokerTime'];

/** A part of a document, and where it stands there. */
export type At<Item> = { readonly item: Item; readonly path: string };

/** The parts of a request, wherever its generation writes them. */
export type RequestView = {
  readonly compute: readonly At<BrokerCompute>[];
  /** all machines */
  readonly computePath: string;
  /** where the only machine would stand if the request names none */
  readonly noComputePath: string;
  readonly storage: readonly At<BrokerStorage>[];
  readonly data: readonly At<BrokerData>[];
  /** alternatives, each with one start */
  readonly times: readonly TimeView[];
};

/** A time of a request. Several starts of one item are times of their own. */
export type TimeView = {
  readonly start: { readonly text: string | undefined; readonly path: string };
  /** the item with the duration */
  readonly of: At<BrokerTime>;
};

/** Finds the parts of a request: at its top (2025, 2026), below `resources` (2024). */
export function viewOf(request: BrokerRequest): RequestView {
  const { compute, storage, data, resources } = request;
  const isLow =
    compute === undefined && (resources !== undefined || request.executable.kind === undefined);
  return {
    compute: [
      ...(compute === undefined
        ? []
        : Array.isArray(compute)
          ? listed(compute, 'compute')
          : [{ item: compute, path: 'compute' }]),
      ...listed(resources?.compute, `${RESOURCES}.compute`),
    ],
    computePath: isLow ? `${RESOURCES}.compute` : 'compute',
    noComputePath: isLow ? `${RESOURCES}.compute[0]` : 'compute',
    storage: [...listed(storage, 'storage'), ...listed(resources?.storage, `${RESOURCES}.storage`)],
    data: [...listed(data, 'data'), ...listed(resources?.data, `${RESOURCES}.data`)],
    times: timesOf(request),
  };
}

/** The name of a part, which is in `meta` since 2026. */
export function nameIn({
  name,
  meta,
}: {
  readonly name?: string | undefined;
  readonly meta?: { readonly name?: string | undefined } | undefined;
}): string | undefined {
  return meta?.name ?? name;
}

/** A request names its scratch space by storage resources with a size. */
export function saysScratch({ storage }: RequestView): boolean {
  return storage.some(({ item }) => item.size !== undefined);
}

/** The path of a storage or data resource. @param item among both, storage first */
export function pathOfItem({ storage, data }: RequestView, item: number): string {
  return (storage[item] ?? data[item - storage.length])?.path ?? 'storage';
}

const RESOURCES = 'resources';

function listed<Item>(items: readonly Item[] | undefined, path: string): readonly At<Item>[] {
  return (items ?? []).map((item, index) => ({ item, path: `${path}[${index}]` }));
}

function timesOf({ schedule, datetime }: BrokerRequest): readonly TimeView[] {
  const requested = schedule?.requested;
  return [
    ...(requested === undefined ? [] : [{ item: requested, path: 'schedule.requested' }]),
    ...listed(datetime, 'datetime'),
  ].flatMap((of): readonly TimeView[] => {
    const { start } = of.item;
    const path = `${of.path}.start`;
    if (!Array.isArray(start) || start.length === 0)
      return [{ start: { text: Array.isArray(start) ? undefined : start, path }, of }];
    return start.map((text, index) => ({ start: { text, path: `${path}[${index}]` }, of }));
  });
}
