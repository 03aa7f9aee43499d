import { containerForm } from './forms/container.ts';
import { isRecord } from '../words/record.ts';
import { readEnvironment } from './environment.ts';
import { readImage } from './oci-image.ts';
import { readArchitectures } from './platform.ts';
import {
  invalidSpec,
  readParallel,
  readSpec,
  readString,
  readStrings,
  type SpecReader,
} from './spec-reader.ts';
import { shown, verdict, type BuiltInType } from './task.ts';

const WORDS = { most: 1000, longest: 100_000 };
const KEYS = [
  'arch',
  'repo',
  'repository',
  'image',
  'tag',
  'digest',
  'platforms',
  'entrypoint',
  'command',
  'environment',
  'network',
  'parallel',
  'privileged',
] as const;

/**
 * A container of an image (2023 draft), in the words of that draft and of later ones; see
 * docs/reference/tasks.md.
 */
export const ociContainer: BuiltInType<'oci-container'> = {
  name: 'oci-container',
  uri: 'https://www.purl.org/ivoa-net/task-type/oci-container',
  aliases: [
    'https://www.purl.org/ivoa-net/task-type/docker-container',
    'https://www.purl.org/ivoa.net/task-type/oci-container',
    'https://www.purl.org/ivoa.net/task-type/docker-container',
    'https://www.purl.org/ivoa.net/executable-types/oci-container',
    'https://www.purl.org/ivoa.net/executable-types/docker-container',
    'https://www.purl.org/ivoa.net/EB/schema/types/executables/docker-container-1.0',
    'https://www.purl.org/ivoa.net/EB/schema/v1.0/types/executables/docker-container-1.0',
    'https://www.purl.org/ivoa.net/Calycopis-openapi/schema/v1.0/kinds/executable/docker-container.yaml',
    'uri:docker-container-1.0',
    'uri:oci-container-1.0',
  ],
  form: containerForm,
  parse: (spec, policy) => {
    const reader = readSpec(spec, KEYS);
    if (!isRecord(spec)) return verdict(undefined, reader.problems);
    const image = readImage(reader, policy);
    const architectures = readArchitectures(reader);
    const entrypoint = readEntrypoint(reader);
    const command = readWords(reader, 'command');
    const environment = readEnvironment(reader);
    const network = readNetwork(reader);
    readPrivileged(reader);
    const parallel = readParallel(reader);
    return verdict(
      image && {
        type: 'oci-container',
        image,
        architectures,
        entrypoint,
        command,
        environment,
        network,
        ...parallel,
      },
      reader.problems,
    );
  },
};

/**
 * Reads the entry point. One draft writes it as text, which is a single program name, since no
 * shell reads it.
 */
function readEntrypoint(reader: SpecReader): readonly string[] | undefined {
  const value = reader.fields.get('entrypoint');
  const words =
    typeof value === 'string'
      ? [readString(reader, 'entrypoint', value, WORDS.longest) ?? '']
      : readWords(reader, 'entrypoint');
  if (words === undefined) return undefined;
  if (words[0] === undefined || words[0] === '')
    invalidSpec(
      reader,
      'entrypoint',
      'the entry point must have at least the program to run; the default is that of the image',
    );
  return words;
}

function readWords(reader: SpecReader, key: string): readonly string[] | undefined {
  return reader.fields.has(key) ? readStrings(reader, key, WORDS) : undefined;
}

/**
 * Reads `network`: `none` and `outbound` are ours; the drafts' ports would make a container
 * reachable and are refused.
 */
function readNetwork(reader: SpecReader): 'none' | 'outbound' {
  const value = reader.fields.get('network');
  if (value === undefined || value === 'none' || value === 'outbound') return value ?? 'none';
  if (!isRecord(value)) {
    invalidSpec(
      reader,
      'network',
      'network must be none or outbound',
      typeof value === 'string' ? shown(value) : undefined,
    );
    return 'none';
  }
  const { ports = [], ...more } = value;
  for (const key of Object.keys(more)) {
    reader.problems.push({
      at: `network.${shown(key)}`,
      code: 'task-spec-unknown-key',
      text: `a network has no ${shown(key)}; it knows ports`,
      asked: shown(key),
    });
  }
  if (!Array.isArray(ports)) invalidSpec(reader, 'network.ports', 'ports must be a list');
  else if (ports.length > 0)
    invalidSpec(
      reader,
      'network.ports',
      'a job publishes no ports: nobody can reach it from outside',
      ports.length,
      0,
    );
  return 'none';
}

function readPrivileged(reader: SpecReader): void {
  const value = reader.fields.get('privileged');
  if (value === undefined || value === false) return;
  invalidSpec(
    reader,
    'privileged',
    value === true
      ? 'a container cannot get the rights of its machine'
      : 'privileged must be true or false',
  );
}
