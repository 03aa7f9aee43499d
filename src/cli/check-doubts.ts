import { accessSync, constants } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { engineKindOf } from '../runners/engine.ts';
import { JOB_PATH } from '../runners/run/environment.ts';
import type { SiteDestination } from '../site/destination.ts';
import type { Site } from '../site/site.ts';
import { mebibytes, printSize } from '../words/units.ts';

const MIB = 1024 ** 2;

/** Settings that make every ask of a destination a NO, or promise what the machine does not have. */
export function doubtsOf(site: Site, destination: SiteDestination): readonly string[] {
  const {
    id,
    capacity: { cores, memory, scratch },
  } = destination;
  const what = `destinations.${id}`;
  const [hasCores, hasMemory] = [availableParallelism(), Math.floor(totalmem() / MIB)];
  return [
    ...(scratch < site.defaults.scratch
      ? [
          `${what}.scratch is ${printSize(mebibytes(scratch), 'GiB')}, less than the ` +
            `${printSize(site.defaults.scratch, 'GiB')} of defaults.scratch that every ` +
            'task gets: it cannot take any task',
        ]
      : []),
    ...(cores < site.defaults.cores
      ? [`${what}.cores is less than defaults.cores: it cannot take a task that names no cores`]
      : []),
    ...(isHere(destination) && cores > hasCores * 1000
      ? [`${what} has ${cores / 1000} cores in the site file, and this machine ${hasCores}`]
      : []),
    ...(isHere(destination) && memory > hasMemory
      ? [
          `${what} has ${printSize(mebibytes(memory), 'GiB')} of memory in the site file, ` +
            `and this machine ${hasMemory} MiB`,
        ]
      : []),
    ...madeLate(destination),
    ...(isHere(destination) ? missingInterpreters(destination) : []),
  ];
}

/** Do its jobs run on this machine? */
export function isHere({ engine }: SiteDestination): boolean {
  return engineKindOf(engine).onThisMachine !== undefined;
}

/** An offer that begins at once waits for an environment that is made for its job. */
function madeLate({ id, prepare, engine }: SiteDestination): readonly string[] {
  const made = engine.environments?.find(({ kind }) => kind === 'venv');
  return made === undefined || prepare > 0
    ? []
    : [
        `destinations.${id} makes the environment ${made.name} for jobs and has no prepare: ` +
          'jobs start later than offered; PT2M would leave the time',
      ];
}

/** The interpreters of workflows that a destination of this machine names and does not have. */
function missingInterpreters({ id, engine }: SiteDestination): readonly string[] {
  return Object.entries(engine.workflows ?? {})
    .filter(([, { command, image }]) => image === undefined && !isThere(command[0]))
    .map(
      ([language, { command }]) =>
        `destinations.${id}.workflows.${language}: there is no program ${command[0]} ` +
        'on this machine: its jobs will fail',
    );
}

/** Would a job find this program, by its path or its name? */
function isThere(program: string): boolean {
  const places = program.includes('/')
    ? [program]
    : JOB_PATH.split(':').map((folder) => join(folder, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
