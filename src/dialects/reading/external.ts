import { textQuantity } from '../../planner/refusal.ts';
import type { ExternalSource } from '../../storage/content.ts';
import { hasDotStep, isBucketName, LONGEST_KEY } from '../../storage/names.ts';
import type { S3Source } from '../../storage/place.ts';
import { HTTP_URIS, RUCIO_URIS, S3_URIS } from '../../storage/uris.ts';
import { shown } from '../../tasks/task.ts';
import { checkUrl, type UrlPolicy } from '../../tasks/url-policy.ts';
import type { Notes } from './notes.ts';

/** What a document says of data that others manage. */
export type ExternalItem = {
  readonly endpoint?: string | undefined;
  readonly bucket?: string | undefined;
  readonly object?: string | undefined;
  readonly prefix?: string | undefined;
  readonly scope?: string | undefined;
  readonly location?: string | undefined;
};

/** A kind of data that others manage: its URIs, the keys of its item, and how to read them. */
export type ExternalKind = {
  readonly uris: readonly string[];
  readonly keys: readonly string[];
  readonly read: (
    notes: Notes,
    item: ExternalItem,
    path: string,
    from: { readonly urls: UrlPolicy; readonly s3: readonly S3Source[] },
  ) => ExternalSource | undefined;
};

export const S3_DATA: ExternalKind = {
  uris: S3_URIS,
  keys: ['endpoint', 'bucket', 'object', 'prefix'],
  read: (notes, item, path, { s3: services }) => {
    const [endpoint, bucket] = [
      readRequired(notes, item, 'endpoint', path),
      readRequired(notes, item, 'bucket', path),
    ];
    if (bucket !== undefined && !isBucketName(bucket))
      notes.note({
        code: 'storage-value-invalid',
        path: `${path}.bucket`,
        asked: textQuantity(shown(bucket)),
        detail: 'This is not a valid name of a bucket.',
      });
    if (item.object !== undefined && item.prefix !== undefined) {
      notes.note({
        code: 'storage-value-invalid',
        path: `${path}.prefix`,
        detail: 'object and prefix exclude each other.',
      });
    }
    const object =
      item.object === undefined
        ? undefined
        : readName(notes, readRequired(notes, item, 'object', path), `${path}.object`);
    const prefix = readName(
      notes,
      readText(notes, item.prefix ?? '', `${path}.prefix`),
      `${path}.prefix`,
    );
    if (endpoint === undefined || bucket === undefined || prefix === undefined) return undefined;
    const service = services.find((one) => isSameUrl(one.endpoint, endpoint));
    if (service === undefined) {
      return notes.note({
        code: 'url-forbidden',
        path: `${path}.endpoint`,
        asked: textQuantity(shown(endpoint)),
        limit: textQuantity(services.map((one) => one.endpoint).join(', ')),
      });
    }
    if (service.buckets !== undefined && !service.buckets.includes(bucket)) {
      return notes.note({
        code: 'url-forbidden',
        path: `${path}.bucket`,
        asked: textQuantity(shown(bucket)),
        limit: textQuantity(service.buckets.join(', ')),
      });
    }
    return {
      kind: 's3',
      endpoint: service.endpoint,
      bucket,
      what: object === undefined ? { prefix } : { object },
    };
  },
};

export const HTTP_DATA: ExternalKind = {
  uris: HTTP_URIS,
  keys: ['location'],
  read: (notes, item, path, { urls }) => {
    const location = readRequiredUrl(notes, item, 'location', path, urls);
    return location === undefined ? undefined : { kind: 'http', location };
  },
};

export const RUCIO_DATA: ExternalKind = {
  uris: RUCIO_URIS,
  keys: ['endpoint', 'scope', 'object'],
  read: (notes, item, path, { urls }) => {
    const endpoint = readRequiredUrl(notes, item, 'endpoint', path, urls);
    const [scope, object] = (['scope', 'object'] as const).map((key) =>
      readName(notes, readRequired(notes, item, key, path), `${path}.${key}`),
    );
    return endpoint === undefined || scope === undefined || object === undefined
      ? undefined
      : { kind: 'rucio', endpoint, scope, object };
  },
};

const byUri: ReadonlyMap<string, ExternalKind> = new Map(
  [S3_DATA, HTTP_DATA, RUCIO_DATA].flatMap((kind) => kind.uris.map((uri) => [uri, kind] as const)),
);

/** The kind of external data that a type URI names; undefined for any other. */
export function findExternal(uri: string): ExternalKind | undefined {
  return byUri.get(uri);
}

/** A name becomes part of a path, and the site may sign the request for it with its own key. */
function readName(notes: Notes, name: string | undefined, path: string): string | undefined {
  if (name === undefined || !hasDotStep(name)) return name;
  return notes.note({
    code: 'storage-value-invalid',
    path,
    asked: textQuantity(shown(name)),
    detail: 'A part between slashes cannot be . or .. here.',
  });
}

function isSameUrl(one: string, other: string): boolean {
  return URL.parse(one)?.href.replace(/\/+$/, '') === URL.parse(other)?.href.replace(/\/+$/, '');
}

function readRequiredUrl(
  notes: Notes,
  item: ExternalItem,
  key: 'endpoint' | 'location',
  path: string,
  urls: UrlPolicy,
): string | undefined {
  const text = readRequired(notes, item, key, path);
  if (text === undefined) return undefined;
  const checked = checkUrl(text, urls);
  if (checked.ok && checked.url.protocol !== 'file:') return checked.url.href;
  if (checked.ok)
    return notes.note({
      code: 'url-forbidden',
      path: `${path}.${key}`,
      asked: textQuantity(shown(text)),
      detail: 'The URL must begin with http: or https:.',
    });
  return notes.note({
    code: checked.code,
    path: `${path}.${key}`,
    asked: textQuantity(shown(text)),
    detail: `${checked.text}.`,
  });
}

function readRequired(
  notes: Notes,
  item: ExternalItem,
  key: 'bucket' | 'endpoint' | 'location' | 'object' | 'scope',
  path: string,
): string | undefined {
  const text = item[key];
  return text === undefined || text === ''
    ? notes.note({ code: 'storage-incomplete', path: `${path}.${key}` })
    : readText(notes, text, `${path}.${key}`);
}

function readText(notes: Notes, text: string, path: string): string | undefined {
  return Buffer.byteLength(text) <= LONGEST_KEY && !/[\p{Cc}\p{Cs}]/u.test(text)
    ? text
    : notes.note({
        code: 'storage-value-invalid',
        path,
        asked: textQuantity(shown(text)),
        detail: `At most ${LONGEST_KEY} bytes, and no control characters.`,
      });
}
