import { resolve } from 'node:path';
import { machineArchitecture } from '../../compute/arch.ts';
import type { ComputeTypes } from '../../compute/registry.ts';
import {
  DESTINATION_KEYS,
  engineKindOf,
  missingDevices,
  runnersThat,
  type Engine,
  type EngineTypes,
} from '../../runners/engine.ts';
import { BUILT_IN_TYPES } from '../../tasks/registry.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readCores, readGpus, readLead, readSize } from '../../yaml/fields.ts';
import { readEngine, type EngineSurroundings } from './engine.ts';
import { readCosts, type Tariff } from './costs.ts';
import { readMaintenance } from './maintenance.ts';
import { readArch, readPlatforms } from './platforms.ts';
import { readSizes } from './sizes.ts';
import { readOwnResults } from '../results.ts';
import type { OfferTerms, SiteDestination } from '../destination.ts';

/**
 * The context for reading a destination: the site's terms and engines, the folder of its paths
 * (absolute), the names of all task types.
 */
export type DestinationSurroundings = {
  readonly terms: OfferTerms;
  readonly folder: string;
  readonly taskTypes: readonly string[];
  readonly computeTypes: ComputeTypes;
  readonly engineTypes: EngineTypes;
  readonly engines: EngineSurroundings['defaults'];
  /** of destinations that say nothing else */
  readonly costs: readonly Tariff[];
};

/** Reads a destination of the site file. */
export function readDestination(
  reader: Reader,
  id: string,
  node: Node,
  surroundings: DestinationSurroundings,
): SiteDestination | undefined {
  const what = `destinations.${id}`;
  const { terms, folder, taskTypes, computeTypes, engineTypes, costs } = surroundings;
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const ofEngines = engineTypes.map((type) => type.name);
  const found = reader.expectKeys(map, what, DESTINATION_KEYS, ofEngines);
  reader.requireKeys(node, what, found, ['runner', 'task-types', 'cores', 'memory']);
  const engine = readEngine(reader, what, {
    destination: map,
    runner: found.runner,
    types: engineTypes,
    defaults: surroundings.engines,
    environments: found.environments,
    workflows: found.workflows,
    folder,
  });
  const types = found['task-types']
    ? readTaskTypes(reader, found['task-types'], `${what}.task-types`, taskTypes)
    : new Set<string>();
  if (engine !== undefined) checkTaskTypes(reader, node, what, engine, types);
  const gpus = reader.expectMap(found.gpus, `${what}.gpus`);
  const capacity = {
    cores: readCores(reader, found.cores, `${what}.cores`, millicores(0)),
    memory: readSize(reader, found.memory, `${what}.memory`, mebibytes(0)),
    scratch: readSize(reader, found.scratch, `${what}.scratch`, mebibytes(0)),
    gpus: readGpus(reader, gpus, `${what}.gpus`),
  };
  if (engine !== undefined)
    checkAbilities(reader, what, engine, capacity.gpus, {
      engineTypes,
      gpus: gpus ?? node,
      isGpusNamed: gpus !== undefined,
      burst: found.burst,
      parallel: found.parallel,
    });
  const calendar = reader.expectString(
    found.calendar,
    `${what}.calendar`,
    'the path of an iCalendar file',
  );
  const rest = {
    description: reader.expectString(found.description, `${what}.description`),
    taskTypes: types,
    capacity,
    isParallel: reader.expectBool(found.parallel, `${what}.parallel`) ?? false,
    sizes: readSizes(reader, found, what, capacity),
    maintenance: readMaintenance(reader, found.maintenance, `${what}.maintenance`),
    calendar: calendar === undefined ? undefined : resolve(folder, calendar),
    prepare: readLead(reader, found.prepare, `${what}.prepare`, terms.prepare),
    release: readLead(reader, found.release, `${what}.release`, terms.release),
    // A socket belongs to this machine, which cannot run images for other architectures.
    arch: readArch(
      reader,
      found.arch,
      `${what}.arch`,
      engine && engineKindOf(engine).runsImagesHere?.(engine) === true
        ? machineArchitecture()
        : undefined,
    ),
    platforms: readPlatforms(reader, found.compute, `${what}.compute`, computeTypes),
    ownResults: readOwnResults(reader, found.results, `${what}.results`),
    results: undefined,
    costs: readCosts(reader, found.costs, `${what}.costs`, costs),
    environments: undefined,
  };
  // All keys are read first, so that all errors are reported.
  return engine && { id, engine, ...rest };
}

function readTaskTypes(
  reader: Reader,
  node: Node,
  what: string,
  known: readonly string[],
): ReadonlySet<string> {
  const list = reader.expectSeq(node, what);
  const types = (list?.items ?? []).map((item, index) =>
    reader.expectOneOf(item, `${what}[${index}]`, known),
  );
  return new Set(types.filter((type) => type !== undefined));
}

/** Reports task types that the engine does not execute, or that need more of its settings. */
function checkTaskTypes(
  reader: Reader,
  node: Node,
  what: string,
  engine: Engine,
  types: ReadonlySet<string>,
): void {
  const { executes, lackOf } = engineKindOf(engine);
  const executed = Object.entries(executes).flatMap(([type, isExecuted]) =>
    isExecuted ? [type] : [],
  );
  for (const { name } of BUILT_IN_TYPES) {
    if (!types.has(name)) continue;
    if (!executes[name]) {
      reader.problem(
        node,
        `${what}: the ${engine.runner} runner does not execute ${name}`,
        `it executes ${executed.join(' and ')}`,
      );
      continue;
    }
    const lack = lackOf?.(engine, name);
    if (lack === undefined) continue;
    const { key, isOfSite, entry, hint } = lack;
    const path = [...(isOfSite === true ? [] : [what]), key, ...(entry ? [entry] : [])].join('.');
    reader.problem(node, `${what} takes ${name}, which needs ${path}`, hint);
  }
}

/** Reports GPUs, bursts and parallel jobs that the engine cannot provide. */
function checkAbilities(
  reader: Reader,
  what: string,
  engine: Engine,
  promised: ReadonlyMap<string, number>,
  {
    engineTypes,
    gpus,
    isGpusNamed,
    burst,
    parallel,
  }: {
    readonly engineTypes: EngineTypes;
    readonly gpus: Node;
    readonly isGpusNamed: boolean;
    readonly burst: Node | undefined;
    readonly parallel: Node | undefined;
  },
): void {
  const kind = engineKindOf(engine);
  const { devicesOf, handsOutGpus, noBurst } = kind;
  const devices = devicesOf?.(engine);
  for (const type of devices === undefined ? [] : missingDevices(devices, promised)) {
    reader.problem(
      gpus,
      `${what} promises more devices of type '${type}' than ${what}.${engine.runner}.gpus names`,
      'name each with its id and its files, or promise fewer',
    );
  }
  if (isGpusNamed && !handsOutGpus) {
    reader.problem(
      gpus,
      `${what}: the ${engine.runner} runner does not hand out GPUs`,
      `leave gpus out; ${runnersThat(engineTypes, (kind) => kind.handsOutGpus)} hand them out`,
    );
  }
  if (burst !== undefined && noBurst !== undefined)
    reader.problem(
      burst,
      `${what}.burst: ${noBurst}`,
      `leave burst out; ${runnersThat(engineTypes, (kind) => kind.noBurst === undefined)} let jobs go beyond ` +
        'their minimum',
    );
  if (parallel !== undefined && kind.parallel === undefined)
    reader.problem(
      parallel,
      `${what}.parallel: the ${engine.runner} runner starts no parallel jobs`,
      `leave parallel out; ${runnersThat(engineTypes, (one) => one.parallel !== undefined)} start them`,
    );
}
