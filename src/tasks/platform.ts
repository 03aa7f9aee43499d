import { parseArchitecture, type Architecture } from '../compute/arch.ts';
import { isRecord } from '../words/record.ts';
import { invalidSpec, readString, type SpecReader } from './spec-reader.ts';
import { shown } from './task.ts';

/**
 * Reads the architectures of the image: `arch` (2023 draft), `platforms` or `image.platform` (later
 * drafts). Any of them will do; an empty list: the destination decides. Problems are noted.
 */
export function readArchitectures(reader: SpecReader): readonly Architecture[] {
  const image = reader.fields.get('image');
  const ways: (() => readonly Architecture[])[] = [];
  if (reader.fields.has('arch'))
    ways.push(() => readArch(reader, 'arch', reader.fields.get('arch')));
  if (isRecord(image) && image['platform'] !== undefined)
    ways.push(() => readPlatform(reader, 'image.platform', image['platform']));
  if (reader.fields.has('platforms')) {
    const list = reader.fields.get('platforms');
    if (!Array.isArray(list) || list.length === 0 || list.length > 20)
      invalidSpec(reader, 'platforms', 'platforms must be a list of 1 to 20 mappings');
    else
      ways.push(() =>
        list.flatMap((item: unknown, index) => readPlatform(reader, `platforms[${index}]`, item)),
      );
  }
  if (ways.length > 1)
    invalidSpec(
      reader,
      'arch',
      'the architecture is given twice: arch, platforms and image.platform exclude each other',
    );
  return [...new Set(ways.flatMap((read) => read()))];
}

function readArch(reader: SpecReader, key: string, value: unknown): readonly Architecture[] {
  const text = readString(reader, key, value, 100);
  if (text === undefined) return [];
  const arch = parseArchitecture(text);
  if (arch === undefined)
    invalidSpec(reader, key, 'an architecture is amd64 or arm64', shown(text));
  return arch === undefined ? [] : [arch];
}

/** Reads `{ architecture, os }`; the drafts' defaults are amd64 and linux. */
function readPlatform(reader: SpecReader, key: string, value: unknown): readonly Architecture[] {
  if (!isRecord(value)) {
    invalidSpec(reader, key, 'a platform is a mapping with architecture and os');
    return [];
  }
  const { architecture = 'amd64', os = 'linux', ...more } = value;
  for (const name of Object.keys(more)) {
    reader.problems.push({
      at: `${key}.${shown(name)}`,
      code: 'task-spec-unknown-key',
      text: `a platform has no ${shown(name)}; it knows architecture, os`,
      asked: shown(name),
    });
  }
  if (os !== 'linux')
    invalidSpec(
      reader,
      `${key}.os`,
      'containers run on linux',
      typeof os === 'string' ? shown(os) : undefined,
    );
  return readArch(reader, `${key}.architecture`, architecture);
}
