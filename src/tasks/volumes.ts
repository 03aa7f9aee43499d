import { posix } from 'node:path';
import { shown } from './task.ts';

/** The place of a storage item inside a job. */
export type Volume = { readonly name: string; readonly path: string; readonly mode: 'r' | 'rw' };

const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** The environment variable with the path of a volume: `VOLUME_` and the name in capitals. */
export function volumeVariable(volume: Volume): string {
  return `VOLUME_${volume.name.toUpperCase().replaceAll(/\W/g, '_')}`;
}

/**
 * @returns why a job of the `process` runner cannot have this volume, or undefined; the planner
 * asks this, too
 */
export function processVolumeProblem(volume: Volume): string | undefined {
  const problem = nameProblem(volume) ?? stepProblem(volume.path);
  if (problem !== undefined) return problem;
  if (posix.isAbsolute(volume.path)) {
    const example = shown(volume.path).replace(/^\/+/, '') || 'data';
    return `a process sees the directories of its machine: the path of a volume must be relative, such as ${example}`;
  }
  return posix.normalize(volume.path) === './' || posix.normalize(volume.path) === '.'
    ? 'the path of a volume must be below the working directory, not the working directory itself'
    : undefined;
}

/** Directories of a notebook's file system: Python itself, and /job, its working directory. */
const TAKEN = ['/lib', '/dev', '/proc', '/usr', '/bin', '/etc', '/job'];

/**
 * @returns why a job of the `notebook` runner cannot have this volume, or undefined; absolute paths
 * are allowed
 */
export function notebookVolumeProblem(volume: Volume): string | undefined {
  return absoluteProblem(volume, TAKEN, 'which Python itself needs');
}

/** Directories that the engine mounts itself, and those of the job. */
const ENGINES = ['/proc', '/sys', '/dev', '/job', '/task', '/planner', '/tmp', '/var/tmp', '/etc'];

/**
 * @returns why a job of a container engine cannot have this volume, or undefined; relative paths
 * are below /job
 */
export function containerVolumeProblem(volume: Volume): string | undefined {
  return absoluteProblem(
    volume,
    ENGINES,
    "which is not the image's; a relative path is below /job",
  );
}

/** A rule for engines that allow no paths with certain characters, combined with another rule. */
export function volumesWithout(
  marks: string,
  problemOf: typeof processVolumeProblem,
): typeof processVolumeProblem {
  return (volume) => {
    const found = [...marks].find((mark) => volume.path.includes(mark));
    return (
      problemOf(volume) ??
      (found === undefined
        ? undefined
        : `the engine takes no path with ${found} in it: ${shown(volume.path)}`)
    );
  };
}

function nameProblem(volume: Volume): string | undefined {
  return NAME.test(volume.name)
    ? undefined
    : `a volume is named with letters, digits, ".", "_" and "-", not ${shown(volume.name)}`;
}

function stepProblem(path: string): string | undefined {
  if (path.length > 500 || /[\p{Cc}\p{Cs}]/u.test(path)) {
    return 'a volume path has at most 500 characters and no control characters';
  }
  if (path.split('/').includes('..')) return `a volume path must not contain "..": ${shown(path)}`;
  return undefined;
}

/** The rule for volumes at absolute paths. */
function absoluteProblem(
  volume: Volume,
  taken: readonly string[],
  why: string,
): string | undefined {
  if (!posix.isAbsolute(volume.path)) return processVolumeProblem(volume);
  const problem = nameProblem(volume) ?? stepProblem(volume.path);
  if (problem !== undefined) return problem;
  const path = posix.normalize(volume.path).replace(/\/+$/, '');
  if (path === '') return 'a volume cannot replace the root directory';
  const found = taken.find((directory) => path === directory || path.startsWith(`${directory}/`));
  return found === undefined ? undefined : `a volume cannot be in ${found}, ${why}`;
}
