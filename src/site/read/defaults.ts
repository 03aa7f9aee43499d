import { fromCores, fromGibibytes } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readPython } from '../engines/process.ts';
import type { Site } from '../site.ts';
import type { EngineDefaults } from './engine.ts';
import { readZoneName, readCores, readSize } from './fields.ts';

/** Reads `defaults`: the amounts for an ask that names none. */
export function readDefaults(reader: Reader, node: Node | undefined): Site['defaults'] {
  const found = reader.section(node, 'defaults', ['cores', 'memory', 'scratch']);
  return {
    cores: readCores(reader, found.cores, 'defaults.cores', fromCores(2)),
    memory: readSize(reader, found.memory, 'defaults.memory', fromGibibytes(2)),
    scratch: readSize(reader, found.scratch, 'defaults.scratch', fromGibibytes(20)),
    gpus: undefined,
  };
}

/** Reads `runners`: what the site says of all engines of one kind. */
export function readEngineDefaults(reader: Reader, node: Node | undefined): EngineDefaults {
  const { process } = reader.section(node, 'runners', ['process']);
  return { python: readPython(reader, process, 'runners.process') };
}

/** Reads what a page tells its reader first: the message of the day and the zone of times. */
export function readWelcome(
  reader: Reader,
  message: Node | undefined,
  zone: Node | undefined,
): Pick<Site, 'message' | 'timeZone'> {
  return {
    message: reader.expectString(message, 'message'),
    timeZone: readZoneName(reader, zone, 'time-zone'),
  };
}
