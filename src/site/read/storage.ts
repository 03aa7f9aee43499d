import { resolve } from 'node:path';
import type { RucioService, S3Service, S3Source, StoragePlace } from '../../storage/place.ts';
import { fromGibibytes, seconds, type Mebibytes, type Seconds } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readDuration, readSize } from '../../yaml/fields.ts';

/** Managed storage of a site: its place, and how much of it offers may promise. */
export type SiteStore = {
  readonly name: string;
  readonly place: StoragePlace;
  /** promises never exceed this, at any instant */
  readonly size: Mebibytes;
  readonly maxLifetime: Seconds;
  /** ids of the destinations whose jobs can use it; undefined: all */
  readonly destinations: ReadonlySet<string> | undefined;
};

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const KEYS = [
  'name',
  'type',
  'path',
  'endpoint',
  'region',
  'bucket',
  'prefix',
  'credentials',
  'size',
  'max-lifetime',
  'for',
] as const;
const S3_KEYS = ['endpoint', 'region', 'credentials', 'buckets'] as const;
const RUCIO_KEYS = ['endpoint', 'token', 'scopes'] as const;

const RUCIO_NEEDS = {
  endpoint: 'the URL of the Rucio service',
  token: 'the file with a token; services that show replicas to everybody need no entry',
  scopes:
    'every client could read whatever the token opens: name the scopes that everybody may read',
} as const;

type Found = { readonly [key in (typeof KEYS)[number] | 'buckets']?: Node };

/**
 * The context for reading storage: the folder of its paths (absolute), and the ids of the
 * destinations.
 */
type StorageSurroundings = { readonly folder: string; readonly destinations: ReadonlySet<string> };

/** Reads `storage`: the places for persistent volumes, in the order in which they are offered. */
export function readStorage(
  reader: Reader,
  node: Node | undefined,
  surroundings: StorageSurroundings,
): readonly SiteStore[] {
  const items = reader.expectSeq(node, 'storage')?.items ?? [];
  const stores = items
    .map((item, index) => readStore(reader, item, `storage[${index}]`, surroundings))
    .filter((store) => store !== undefined);
  stores.forEach(({ name }, index) => {
    const item = items[index];
    if (item !== undefined && stores.findIndex((other) => other.name === name) < index)
      reader.problem(item, `storage has two places named '${name}'`);
  });
  return stores;
}

/** Reads `fetch.s3`: the S3 services that jobs may read from. */
export function readS3Sources(
  reader: Reader,
  node: Node | undefined,
  folder: string,
): readonly S3Source[] {
  return (reader.expectSeq(node, 'fetch.s3')?.items ?? []).flatMap((item, index) => {
    const what = `fetch.s3[${index}]`;
    const found = reader.fields(item, what, S3_KEYS);
    if (found === undefined) return [];
    const buckets = reader.expectStrings(found.buckets, `${what}.buckets`);
    if (found.credentials !== undefined && buckets === undefined) {
      reader.problem(
        item,
        `${what} has credentials, so it needs 'buckets'`,
        'every client could read whatever the credentials open: name the buckets that everybody may read',
      );
    }
    return [{ ...readService(reader, found, item, what, folder), buckets }];
  });
}

/** Reads `fetch.rucio`: the Rucio services for which the site has a token. */
export function readRucioServices(
  reader: Reader,
  node: Node | undefined,
  folder: string,
): readonly RucioService[] {
  return (reader.expectSeq(node, 'fetch.rucio')?.items ?? []).flatMap((item, index) => {
    const what = `fetch.rucio[${index}]`;
    const found = reader.fields(item, what, RUCIO_KEYS);
    if (found === undefined) return [];
    for (const key of RUCIO_KEYS)
      if (found[key] === undefined)
        reader.problem(item, `${what} needs '${key}'`, RUCIO_NEEDS[key]);
    return [
      {
        endpoint: readEndpoint(reader, found.endpoint, `${what}.endpoint`) ?? '',
        token: resolve(folder, reader.expectString(found.token, `${what}.token`) ?? ''),
        scopes: reader.expectStrings(found.scopes, `${what}.scopes`) ?? [],
      },
    ];
  });
}

function readStore(
  reader: Reader,
  node: Node,
  what: string,
  { folder, destinations }: StorageSurroundings,
): SiteStore | undefined {
  const found = reader.fields(node, what, KEYS);
  if (found === undefined) return undefined;
  reader.requireKeys(node, what, found, ['name', 'type', 'size']);
  const name = reader.expectString(found.name, `${what}.name`) ?? '';
  if (found.name !== undefined && !NAME.test(name))
    reader.problem(
      found.name,
      `${what}.name must be lower-case letters, digits and dashes, not '${name}'`,
    );
  const kind = reader.expectOneOf(found.type, `${what}.type`, ['directory', 's3']);
  if (kind === undefined) return undefined;
  const named = reader.expectStrings(found.for, `${what}.for`);
  for (const id of named ?? [])
    if (found.for !== undefined && !destinations.has(id))
      reader.problem(found.for, `${what}.for: the site file has no destination '${id}'`);
  return {
    name,
    place:
      kind === 'directory'
        ? readDirectory(reader, found, node, what, folder)
        : readBucket(reader, found, node, what, folder),
    size: readSize(reader, found.size, `${what}.size`, fromGibibytes(0)),
    maxLifetime: readDuration(
      reader,
      found['max-lifetime'],
      `${what}.max-lifetime`,
      seconds(30 * 86_400),
    ),
    destinations: named && new Set(named),
  };
}

function readDirectory(
  reader: Reader,
  found: Found,
  at: Node,
  what: string,
  folder: string,
): StoragePlace {
  forbid(reader, found, ['region', 'bucket', 'prefix', 'credentials'], what, 'directory');
  const path = reader.expectString(found.path, `${what}.path`);
  if (found.path === undefined) reader.problem(at, `${what} needs 'path', the directory`);
  return {
    kind: 'directory',
    path: resolve(folder, path ?? ''),
    endpoint: readEndpoint(reader, found.endpoint, `${what}.endpoint`),
  };
}

function forbid(
  reader: Reader,
  found: Found,
  keys: readonly (typeof KEYS)[number][],
  what: string,
  type: string,
): void {
  for (const key of keys) {
    const node = found[key];
    if (node !== undefined)
      reader.problem(node, `${what}: storage of type ${type} has no key '${key}'`);
  }
}

function readEndpoint(reader: Reader, node: Node | undefined, what: string): string | undefined {
  const value = reader.expectString(node, what);
  if (node === undefined || value === undefined) return undefined;
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '')
    return value.replace(/\/+$/, '');
  return reader.problem(
    node,
    `${what} cannot be '${value}'`,
    'a URL that begins with https:// or http://, without a query and without a user',
  );
}

function readBucket(
  reader: Reader,
  found: Found,
  at: Node,
  what: string,
  folder: string,
): StoragePlace {
  forbid(reader, found, ['path'], what, 's3');
  reader.requireKeys(at, what, found, ['bucket']);
  return {
    kind: 's3',
    service: readService(reader, found, at, what, folder),
    bucket: reader.expectString(found.bucket, `${what}.bucket`) ?? '',
    prefix: reader.expectString(found.prefix, `${what}.prefix`) ?? '',
  };
}

function readService(
  reader: Reader,
  found: Found,
  at: Node,
  what: string,
  folder: string,
): S3Service {
  if (found.endpoint === undefined)
    reader.problem(at, `${what} needs 'endpoint', the URL of the S3 service`);
  const credentials = reader.expectString(found.credentials, `${what}.credentials`);
  return {
    endpoint: readEndpoint(reader, found.endpoint, `${what}.endpoint`) ?? '',
    region: reader.expectString(found.region, `${what}.region`) ?? 'us-east-1',
    credentials: credentials === undefined ? undefined : resolve(folder, credentials),
  };
}
