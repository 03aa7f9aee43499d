import { posix } from 'node:path';
import { shown } from './task.ts';

/** Where a storage item appears inside a job. */
export type Volume = { readonly name: string; readonly path: string; readonly mode: 'r' | 'rw' };

const NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/**
 * Environment variable that tells a process where its volume is:
 * `VOLUME_` and the name in capitals.
 */
export function volumeVariable(volume: Volume): string {
  return `VOLUME_${volume.name.toUpperCase().replaceAll(/\W/g, '_')}`;
}

/**
 * @returns why a job of the `process` runner cannot have this volume, or
 * undefined. The planner asks this too.
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

/**
 * Directories of the notebook's own file system: Python itself, and /job, its working directory.
 */
const TAKEN = ['/lib', '/dev', '/proc', '/usr', '/bin', '/etc', '/job'];

/**
 * @returns why a job of the `notebook` runner cannot have this volume, or undefined.
 * Absolute paths are welcome here.
 */
export function notebookVolumeProblem(volume: Volume): string | undefined {
  return absoluteProblem(volume, TAKEN, 'which Python itself needs');
}

/** What the engine mounts itself, and where it puts the job's own directories. */
const ENGINES = ['/proc', '/sys', '/dev', '/job', '/task', '/planner', '/tmp', '/var/tmp', '/etc'];

/**
 * @returns why a job of a container engine cannot have this volume, or undefined.
 * Relative paths are below /job.
 */
export function containerVolumeProblem(volume: Volume): string | undefined {
  return absoluteProblem(
    volume,
    ENGINES,
    "which is not the image's; a relative path is below /job",
  );
}

/** The rule of an engine that takes no path with some characters in it, besides another rule. */
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

/** A rule for volumes at absolute paths, beside that for relative ones. */
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
