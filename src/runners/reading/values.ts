import { resolve } from 'node:path';
import { parseReference, type RegistryImage } from '../../tasks/image.ts';
import type { MapNode, Node, Reader } from '../../yaml/index.ts';

/** The place of an engine's settings in the site file. */
export type EngineNode = {
  readonly reader: Reader;
  /** value of the destination's key with the runner's name; undefined: no such key */
  readonly node: Node | undefined;
  /** the destination, for errors about a missing key */
  readonly destination: Node;
  /** the full key, such as `destinations.here.slurm` */
  readonly what: string;
  /** absolute; the base of relative paths */
  readonly folder: string;
};

/** The settings as a mapping. Reports a missing key. */
export function mapOfEngine(
  { reader, node, destination, what }: EngineNode,
  needs: string,
): MapNode | undefined {
  return node === undefined
    ? reader.problem(
        destination,
        `the ${what.slice(what.lastIndexOf('.') + 1)} runner needs '${what}'`,
        needs,
      )
    : reader.expectMap(node, what);
}

/** Reads a path relative to the folder of the site file. */
export function readFilePath(
  { reader, folder }: Pick<EngineNode, 'reader' | 'folder'>,
  node: Node | undefined,
  what: string,
  hint = 'the path of a file',
): string | undefined {
  const path = reader.expectString(node, what, hint);
  return path === undefined ? undefined : resolve(folder, path);
}

/** Reads a text that matches a pattern. */
export function readMatching(
  reader: Reader,
  node: Node | undefined,
  what: string,
  form: RegExp,
  hint: string,
): string | undefined {
  const text = reader.expectString(node, what);
  return node === undefined || text === undefined || form.test(text)
    ? text
    : reader.problem(node, `${what} cannot be '${text}'`, hint);
}

/** Reads one of some words; the first is the default. */
export function readWord<Word extends string>(
  reader: Reader,
  node: Node | undefined,
  what: string,
  words: readonly [Word, ...Word[]],
): Word {
  return reader.expectOneOf(node, what, words) ?? words[0];
}

/** Reads the number of processes and threads that one job may have. */
export function readTaskCount(
  reader: Reader,
  node: Node | undefined,
  what: string,
  otherwise: number,
): number {
  return reader.expectInt(node, what, { min: 1, max: 100_000 }) ?? otherwise;
}

/** Reads the images for tasks that are not containers themselves. */
export function readImages(reader: Reader, node: Node | undefined, what: string) {
  const found = reader.fields(node, what, ['executable', 'python-program']) ?? {};
  return {
    executable: readImage(reader, found.executable, `${what}.executable`),
    'python-program': readImage(reader, found['python-program'], `${what}.python-program`),
  };
}

function readImage(
  reader: Reader,
  node: Node | undefined,
  what: string,
): RegistryImage | undefined {
  const text = reader.expectString(node, what);
  if (node === undefined || text === undefined) return undefined;
  return (
    parseReference(text) ??
    reader.problem(
      node,
      `${what} cannot be '${text}'`,
      'a registry and a path, such as docker.io/library/python:3.13-slim',
    )
  );
}
