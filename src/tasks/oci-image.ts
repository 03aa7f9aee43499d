import { isRecord } from '../words/record.ts';
import {
  isAllowedImage,
  isDigest,
  isTag,
  parseReference,
  type ImageSource,
  type RegistryImage,
} from './image.ts';
import { invalidSpec, readString, type SpecReader } from './spec-reader.ts';
import { shown } from './task.ts';
import { checkUrl, type UrlPolicy } from './url-policy.ts';

const LONGEST = 500;
const MOST_LOCATIONS = 20;

/** Reads the image of a container task in the words of any draft; problems are noted. */
export function readImage(reader: SpecReader, policy: UrlPolicy): ImageSource | undefined {
  const image = reader.fields.get('image');
  if (isRecord(image)) {
    for (const key of ['repo', 'repository', 'tag', 'digest']) {
      if (reader.fields.has(key))
        invalidSpec(reader, key, `an image with locations has its ${key} in them`);
    }
    for (const key of Object.keys(image)) {
      if (['locations', 'digest', 'platform'].includes(key)) continue;
      reader.problems.push({
        at: `image.${shown(key)}`,
        code: 'task-spec-unknown-key',
        text: `an image has no ${shown(key)}; it knows locations, digest, platform`,
        asked: shown(key),
      });
    }
    return readLocations(reader, image, policy);
  }
  const text = readString(reader, 'image', image, 2000);
  if (text === undefined) return undefined;
  if (!text.startsWith('file:')) return readWords(reader, text, policy);
  for (const key of ['repo', 'repository', 'tag'])
    if (reader.fields.has(key)) invalidSpec(reader, key, `an archive has no ${key}`);
  return readArchive(
    reader,
    'image',
    text,
    readDigest(reader, 'digest', reader.fields.get('digest')),
    policy,
  );
}

/**
 * Reads `image: { locations, digest }`: one image in several places. The first place that the site
 * allows is used.
 */
function readLocations(
  reader: SpecReader,
  block: Readonly<Record<string, unknown>>,
  policy: UrlPolicy,
): ImageSource | undefined {
  const { locations, digest: asked } = block;
  const digest = readDigest(reader, 'image.digest', asked);
  if (!Array.isArray(locations) || locations.length === 0 || locations.length > MOST_LOCATIONS) {
    invalidSpec(
      reader,
      'image.locations',
      `locations must be a list of 1 to ${MOST_LOCATIONS} places of the image`,
    );
    return undefined;
  }
  const texts = locations.map((item: unknown, index) => ({
    key: `image.locations[${index}]`,
    text: readString(reader, `image.locations[${index}]`, item, 2000),
  }));
  const found = texts.flatMap(({ key, text }) => {
    if (text === undefined) return [];
    const source = text.startsWith('file:')
      ? readArchive(reader, key, text, digest, policy)
      : readReference(reader, key, text);
    return source === undefined
      ? []
      : [
          {
            key,
            source:
              source.kind === 'registry' ? join(reader, key, source, undefined, digest) : source,
          },
        ];
  });
  const first = found.find(
    ({ source }) => source?.kind === 'archive' || (source !== undefined && allowed(source, policy)),
  );
  if (first === undefined && found.length > 0)
    forbid(reader, 'image.locations', texts.map(({ text }) => text).join(', '), policy);
  return first?.source;
}

function readDigest(reader: SpecReader, key: string, value: unknown): string | undefined {
  const digest = optional(reader, key, value);
  if (digest === undefined || isDigest(digest)) return digest;
  invalidSpec(
    reader,
    key,
    'a digest is sha256: and 64 hexadecimal digits in lower case',
    shown(digest),
  );
  return undefined;
}

function optional(reader: SpecReader, key: string, value: unknown): string | undefined {
  return value === undefined ? undefined : readString(reader, key, value, LONGEST);
}

function readArchive(
  reader: SpecReader,
  key: string,
  location: string,
  digest: string | undefined,
  policy: UrlPolicy,
): ImageSource | undefined {
  const checked = checkUrl(location, policy);
  if (checked.ok) return { kind: 'archive', url: checked.url.href, digest };
  const { code, text, limit } = checked;
  reader.problems.push({
    at: key,
    code,
    text,
    asked: shown(location),
    ...(limit !== undefined && { limit }),
  });
  return undefined;
}

function readReference(reader: SpecReader, key: string, text: string): RegistryImage | undefined {
  const image = parseReference(text);
  if (image === undefined)
    invalidSpec(
      reader,
      key,
      'an image is a registry and a path, such as ghcr.io/ivoa/example:1.0; no registry is assumed',
      shown(text),
    );
  return image;
}

/** Joins a reference with the separate keys, which must not contradict it. */
function join(
  reader: SpecReader,
  key: string,
  image: RegistryImage,
  tag: string | undefined,
  digest: string | undefined,
): RegistryImage | undefined {
  if (tag !== undefined && !isTag(tag)) invalidSpec(reader, 'tag', 'this is not a tag', shown(tag));
  else if (tag !== undefined && image.tag !== undefined && tag !== image.tag)
    invalidSpec(reader, 'tag', `${key} has the tag ${image.tag}`, tag);
  else if (digest !== undefined && image.digest !== undefined && digest !== image.digest)
    invalidSpec(reader, 'digest', `${key} has another digest`, digest);
  else return { ...image, tag: tag ?? image.tag, digest: digest ?? image.digest };
  return undefined;
}

function allowed(image: RegistryImage, { registries = [] }: UrlPolicy): boolean {
  return isAllowedImage(image, registries);
}

function forbid(
  reader: SpecReader,
  key: string,
  asked: string,
  { registries = [] }: UrlPolicy,
): void {
  const text =
    registries.length === 0
      ? 'this site allows no registry (fetch.registries of its site file)'
      : 'this site does not allow this registry';
  reader.problems.push({
    at: key,
    code: 'url-forbidden',
    text,
    asked: shown(asked),
    ...(registries.length > 0 && { limit: registries.join(', ') }),
  });
}

/**
 * Reads `repo` and `image` (2023 draft), or the whole reference in `image`; another draft calls
 * `repo` `repository`.
 */
function readWords(reader: SpecReader, image: string, policy: UrlPolicy): ImageSource | undefined {
  const fields = reader.fields;
  if (fields.has('repo') && fields.has('repository')) {
    invalidSpec(reader, 'repository', 'repo and repository are the same and exclude each other');
    return undefined;
  }
  const key = fields.has('repository') ? 'repository' : 'repo';
  const repo = optional(reader, key, fields.get(key));
  if (fields.has(key) && repo === undefined) return undefined;
  const tag = optional(reader, 'tag', fields.get('tag'));
  const digest = readDigest(reader, 'digest', fields.get('digest'));
  const found = readReference(
    reader,
    'image',
    repo === undefined ? image : `${repo.replace(/\/+$/, '')}/${image}`,
  );
  const whole = found && join(reader, 'image', found, tag, digest);
  if (whole !== undefined && !allowed(whole, policy))
    forbid(reader, 'image', `${whole.registry}/${whole.repository}`, policy);
  return whole;
}
