import { resolve } from 'node:path';
import { machineArchitecture } from '../../compute/arch.ts';
import type { ComputeTypes } from '../../compute/registry.ts';
import { devicesOf } from '../../runners/engine.ts';
import { EXECUTES, HANDS_OUT_GPUS, NO_BURST } from '../../runners/port.ts';
import { builtInTypes } from '../../tasks/registry.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readCores, readGpus, readLead, readSize } from './fields.ts';
import { missingImages } from '../engines/container.ts';
import { missingDevices } from '../engines/devices.ts';
import { ENGINE_KEYS, readEngine, type EngineDefaults } from './engine.ts';
import { readMaintenance } from './maintenance.ts';
import { readArch, readPlatforms } from './platforms.ts';
import { readSizes } from './sizes.ts';
import { readOwnResults } from '../results.ts';
import type { OfferTerms, SiteDestination } from '../site.ts';

const KEYS = [
  'runner',
  'task-types',
  'cores',
  'memory',
  'scratch',
  'gpus',
  'flavours',
  'elastic',
  'burst',
  'maintenance',
  'calendar',
  'prepare',
  'release',
  'arch',
  'compute',
  'results',
  ...ENGINE_KEYS,
] as const;

/**
 * What a destination is read with: the site's terms and engines, the folder of its paths
 * (absolute), the names of all task types.
 */
export type DestinationSurroundings = {
  readonly terms: OfferTerms;
  readonly folder: string;
  readonly taskTypes: readonly string[];
  readonly computeTypes: ComputeTypes;
  readonly engines: EngineDefaults;
};

/** A destination of the site file. */
export function readDestination(
  reader: Reader,
  id: string,
  node: Node,
  { terms, folder, taskTypes, computeTypes, engines }: DestinationSurroundings,
): SiteDestination | undefined {
  const what = `destinations.${id}`;
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  for (const key of ['runner', 'task-types', 'cores', 'memory'] as const) {
    if (found[key] === undefined) reader.problem(node, `${what} needs '${key}'`);
  }
  const engine = readEngine(reader, found.runner, what, engines, {
    destination: node,
    settings: found,
    folder,
  });
  const runner = engine?.runner;
  const types = found['task-types']
    ? readTaskTypes(reader, found['task-types'], `${what}.task-types`, taskTypes)
    : new Set<string>();
  for (const { name } of builtInTypes.all) {
    if (runner === undefined || !types.has(name) || EXECUTES[runner].has(name)) continue;
    reader.problem(
      node,
      `${what}: the ${runner} runner does not execute ${name}`,
      `it executes ${[...EXECUTES[runner]].join(' and ')}`,
    );
  }
  for (const type of engine?.runner === 'container' ? missingImages(engine.container, types) : []) {
    reader.problem(
      node,
      `${what} takes ${type}, which needs ${what}.container.images.${type}`,
      'the image in which such tasks run',
    );
  }
  for (const type of engine?.runner === 'kubernetes'
    ? missingImages(engine.kubernetes, types)
    : []) {
    reader.problem(
      node,
      `${what} takes ${type}, which needs ${what}.kubernetes.images.${type}`,
      'the image in which such tasks run',
    );
  }
  if (
    engine?.runner === 'kubernetes' &&
    engine.kubernetes.charts === undefined &&
    types.has('helm-chart')
  ) {
    reader.problem(
      node,
      `${what} takes helm-chart, which needs ${what}.kubernetes.charts`,
      'how charts are rendered, for example charts: { helm: /usr/local/bin/helm }',
    );
  }
  if (
    engine?.runner === 'slurm' &&
    engine.slurm.jupyter === undefined &&
    types.has('jupyter-notebook')
  ) {
    reader.problem(
      node,
      `${what} takes jupyter-notebook, which needs ${what}.slurm.jupyter`,
      'the absolute path of a Python on the nodes that has Jupyter',
    );
  }
  if (
    engine?.runner === 'slurm' &&
    engine.slurm.container === undefined &&
    types.has('oci-container')
  ) {
    reader.problem(
      node,
      `${what} takes oci-container, which needs ${what}.slurm.container`,
      'how the nodes run containers, for example slurm: { container: { store: /var/tmp } }',
    );
  }
  if (
    engine?.runner === 'slurm' &&
    engine.slurm.python === undefined &&
    types.has('python-program')
  ) {
    reader.problem(
      node,
      `${what} takes python-program, which needs ${what}.slurm.python`,
      'the absolute path of an interpreter on the nodes',
    );
  }
  const gpus = found.gpus && reader.expectMap(found.gpus, `${what}.gpus`);
  const capacity = {
    cores: readCores(reader, found.cores, `${what}.cores`, millicores(0)),
    memory: readSize(reader, found.memory, `${what}.memory`, mebibytes(0)),
    scratch: readSize(reader, found.scratch, `${what}.scratch`, mebibytes(0)),
    gpus: gpus ? readGpus(reader, gpus, `${what}.gpus`) : new Map<string, number>(),
  };
  const devices = engine && devicesOf(engine);
  for (const type of devices === undefined ? [] : missingDevices(devices, capacity.gpus)) {
    reader.problem(
      gpus ?? node,
      `${what} promises more devices of type '${type}' than ${what}.${runner}.gpus names`,
      'name each with its id and its files, or promise fewer',
    );
  }
  if (gpus && engine !== undefined && !HANDS_OUT_GPUS[engine.runner]) {
    reader.problem(
      gpus,
      `${what}: the ${engine.runner} runner hands out no GPUs`,
      'leave gpus out; process, container, slurm and kubernetes hand them out',
    );
  }
  const stiff = engine && NO_BURST[engine.runner];
  if (found.burst && stiff !== undefined)
    reader.problem(
      found.burst,
      `${what}.burst: ${stiff}`,
      'leave burst out; process, notebook and kubernetes let jobs go beyond their minimum',
    );
  const calendar =
    found.calendar &&
    reader.expectString(found.calendar, `${what}.calendar`, 'the path of an iCalendar file');
  const rest = {
    taskTypes: types,
    capacity,
    sizes: readSizes(reader, found, what, capacity),
    maintenance: readMaintenance(reader, found.maintenance, `${what}.maintenance`),
    calendar: calendar === undefined ? undefined : resolve(folder, calendar),
    prepare: readLead(reader, found.prepare, `${what}.prepare`, terms.prepare),
    release: readLead(reader, found.release, `${what}.release`, terms.release),
    // A socket is of this machine, and an image that is for another one would not run.
    arch: readArch(
      reader,
      found.arch,
      `${what}.arch`,
      engine?.runner === 'container' && engine.container.address.kind === 'unix'
        ? machineArchitecture()
        : undefined,
    ),
    platforms: readPlatforms(reader, found.compute, `${what}.compute`, computeTypes),
    ownResults: readOwnResults(reader, found.results, `${what}.results`),
    results: undefined,
  };
  // Everything is read, so that everything that is wrong is told.
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
