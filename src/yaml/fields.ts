import { Duration, IANAZone } from 'luxon';
import type { Node, Reader } from './index.ts';
import {
  fromCores,
  fromGibibytes,
  readMebibytes,
  seconds,
  type Mebibytes,
  type Millicores,
  type Seconds,
} from '../words/units.ts';

const MAX_CORES = 1_000_000;
const MAX_GIB = 1_000_000_000;

/** Reads an ISO 8601 duration such as `PT5M` or `P7D`, between one second and 68 years. */
export function readDuration(
  reader: Reader,
  node: Node | undefined,
  what: string,
  otherwise: Seconds,
): Seconds {
  if (node === undefined) return otherwise;
  const hint = 'an ISO 8601 duration, for example PT5M for five minutes or P7D for a week';
  const text = reader.expectString(node, what, hint);
  if (text === undefined) return otherwise;
  const length = Math.round(Duration.fromISO(text).as('seconds'));
  if (length >= 1 && length < 2 ** 31) return seconds(length);
  reader.problem(node, `${what} cannot be '${text}'`, hint);
  return otherwise;
}

/** Reads a duration that may be zero: `PT0S` reserves nothing before or after a run. */
export function readLead(
  reader: Reader,
  node: Node | undefined,
  what: string,
  otherwise: Seconds,
): Seconds {
  return node?.kind === 'string' && /^PT?0[SMHD]$/.test(node.value)
    ? seconds(0)
    : readDuration(reader, node, what, otherwise);
}

/** Reads cores: a number, 0.5 or 64. */
export function readCores(
  reader: Reader,
  node: Node | undefined,
  what: string,
  otherwise: Millicores,
): Millicores {
  const cores = reader.expectNumber(node, what, { min: 0, max: MAX_CORES });
  return cores === undefined ? otherwise : fromCores(cores);
}

/** Reads a size: `16GiB`, `512MiB`, or a bare number of GiB. */
export function readSize(
  reader: Reader,
  node: Node | undefined,
  what: string,
  otherwise: Mebibytes,
): Mebibytes {
  if (node === undefined) return otherwise;
  if (node.kind === 'string') {
    const mebibytes = readMebibytes(node.value);
    if (mebibytes !== undefined && mebibytes >= 0 && mebibytes / 1024 <= MAX_GIB)
      return fromGibibytes(mebibytes / 1024);
    reader.problem(
      node,
      `${what} cannot be '${node.value}'`,
      'a size such as 16GiB or 512MiB, or a number of GiB',
    );
    return otherwise;
  }
  const gib = reader.expectNumber(node, what, { min: 0, max: MAX_GIB });
  return gib === undefined ? otherwise : fromGibibytes(gib);
}

/** Reads the name of a time zone, as the database of time zones has it. */
export function readZoneName(
  reader: Reader,
  node: Node | undefined,
  what: string,
): string | undefined {
  const hint = 'a name such as Europe/Berlin or UTC';
  const zone = reader.expectString(node, what, hint);
  if (zone === undefined || node === undefined || IANAZone.isValidZone(zone)) return zone;
  return reader.problem(node, `${what} cannot be '${zone}'`, hint);
}

/** Reads counts of GPUs by their type URI. */
export function readGpus(
  reader: Reader,
  node: Node | undefined,
  what: string,
): ReadonlyMap<string, number> {
  const counts = reader
    .entries(node, what)
    .map(
      ({ name, value }) =>
        [
          name,
          reader.expectInt(value, `${what} '${name}'`, { min: 1, max: 1_000_000 }) ?? 0,
        ] as const,
    );
  return new Map(counts);
}
