import { asNumber, float } from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import type { Node } from '../../../yaml/index.ts';
import { suggestion } from '../../../yaml/index.ts';
import type { Concurrent, Entity } from '../../entity/entity.ts';
import { OVERSIZE } from '../../entity/pool-part.ts';
import type { OversizeName, PoolPart } from '../../entity/pool-part.ts';
import { CONCURRENT, UNBOUNDED } from '../../entity/properties.ts';
import { readBoolean, readNumber } from './fields.ts';
import type { Fields } from './fields.ts';
import type { SnippetPlace } from '../snippets.ts';
import { TagSet } from '../../entity/tags.ts';

/** Bounds on what one user has at a time in a pool: numbers, never expressions. */
export function readConcurrent(fields: Fields): Concurrent {
  if (CONCURRENT.every((name) => fields.get(name) === undefined)) return UNBOUNDED;
  const bound = (name: string): Value => {
    const node = fields.get(name);
    if (node === undefined || node.kind === 'null') return null;
    // An infinite bound replaces a finite one below it.
    if (node.kind === 'float' && node.value === Infinity) return float(Infinity);
    return readNumber(node, `'${name}' of ${fields.what}`, fields.read) ?? null;
  };
  return {
    max_concurrent_cores: bound('max_concurrent_cores'),
    max_concurrent_mem: bound('max_concurrent_mem'),
    max_concurrent_gpus: bound('max_concurrent_gpus'),
  };
}

/**
 * What only pools have (TPV 3.3.0, PoolEntity). The entity's tags hold its `scheduling` already.
 */
export function readPool(entity: Entity, fields: Fields): void {
  const { get, what, read } = fields;
  const scheduling = get('scheduling');
  for (const kind of ['prefer', 'accept'] as const) {
    if (scheduling === undefined || entity.tags.list(kind).length === 0) continue;
    const hint =
      "a pool selects the jobs it governs with 'require' (job must carry all) and 'reject' (job must carry none)";
    read.problem(scheduling, `'${kind}' in 'scheduling' of ${what} has no meaning on a pool`, hint);
  }
  const failOpen = get('fail_open');
  entity.pool = {
    oversize: readOversize(get('oversize'), `'oversize' of ${what}`, fields),
    failOpen:
      failOpen === undefined ? undefined : readBoolean(failOpen, `'fail_open' of ${what}`, read),
    tags: entity.tags,
  };
  entity.tags = new TagSet();
}

/**
 * `global.resource_pool_store`: where the pools keep what they hold. Without a `class` in the file
 * it is TPV's default.
 */
export type StoreConfig = {
  readonly class: string;
  readonly options: readonly (readonly [string, Value])[];
  /** The place of `class`, or of the section. */
  readonly place: SnippetPlace;
  /** The places of the options: TPV's schema knows none of them, but its stores take them. */
  readonly unknown: ReadonlyMap<string, SnippetPlace>;
};

const DEFAULT_STORE = 'tpv.core.resource_pool.ValkeyAllocationStore';

/** The section of a file; null when it has none. */
export function readStore(node: Node | undefined, read: Fields['read']): StoreConfig | null {
  if (node === undefined || node.kind === 'null') return null;
  const what = "'resource_pool_store' of 'global'";
  const map = read.expectMap(node, what);
  if (map === undefined) return null;
  const entries = read.entries(map, what);
  const placeOf = ({ at }: Node): SnippetPlace => ({ file: read.file, ...at });
  const own = entries.find(({ name }) => name === 'class' || name === 'store_class');
  const options = entries.filter((entry) => entry.name !== 'class' && entry.name !== 'store_class');
  return {
    class: (own && read.expectString(own.value, `'${own.name}' of ${what}`)) ?? DEFAULT_STORE,
    options: options.map(({ name, value }) => [name, read.value(value, false)]),
    place: placeOf(own?.value ?? node),
    unknown: new Map(options.map(({ name, key }) => [name, placeOf(key)])),
  };
}

function readOversize(
  node: Node | undefined,
  what: string,
  { read }: Fields,
): PoolPart['oversize'] {
  const policy: { [name in OversizeName]?: Value } = {};
  for (const { name, key, value } of read.entries(node, what)) {
    const known = OVERSIZE.find((candidate) => candidate === name);
    if (known === undefined) {
      read.problem(
        key,
        `${what} has an unknown key '${name}'`,
        suggestion(name, OVERSIZE) ?? `known keys: ${OVERSIZE.join(', ')}`,
      );
      continue;
    }
    const own = oversizeField(known, value, `'${name}' in ${what}`, read);
    if (own !== undefined) policy[known] = own;
  }
  return policy;
}

function oversizeField(
  name: OversizeName,
  node: Node,
  what: string,
  read: Fields['read'],
): Value | undefined {
  switch (name) {
    case 'reserve_pool':
      return readBoolean(node, what, read);
    case 'max_concurrent': {
      const number = readNumber(node, what, read);
      if (number === undefined || Number.isSafeInteger(asNumber(number)))
        return asNumber(number ?? null);
      return read.problem(node, `${what} must be a whole number`);
    }
    case 'hard_max_cores':
    case 'hard_max_mem':
    case 'hard_max_gpus': {
      if (node.kind === 'null') return null;
      const number = readNumber(node, what, read);
      return number === undefined ? undefined : float(asNumber(number) ?? 0);
    }
    default:
      return name satisfies never;
  }
}
