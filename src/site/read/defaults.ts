import { fromCores, fromGibibytes } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readPython } from '../../runners/engine.ts';
import { readEnvironments, type SiteEngineDefaults } from './environments.ts';
import type { Site } from '../site.ts';
import { readZoneName, readCores, readSize } from '../../yaml/fields.ts';

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

/** Reads `runners` and `environments`: what the site says of engines of all destinations. */
export function readEngineDefaults(
  reader: Reader,
  runners: Node | undefined,
  environments: Node | undefined,
): SiteEngineDefaults {
  const { process } = reader.section(runners, 'runners', ['process']);
  return {
    python: readPython(reader, process, 'runners.process'),
    environments: readEnvironments(reader, environments),
  };
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
