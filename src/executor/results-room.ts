import { lstat, opendir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobResult, Outcome } from '../runners/port.ts';
import { directoryOf, removeTree } from '../runners/run/directory.ts';
import type { JobId } from '../words/ids.ts';
import { logPath, machineRunId } from '../words/run-id.ts';

/**
 * Keeps the results of a job that is over, as far as there is room, and removes everything else.
 */
export type ResultsRoom = {
  /** @param grow asks the book for more than was promised */
  readonly within: (
    job: JobId,
    outcome: Outcome,
    most: number,
    grow: (bytes: number) => Promise<boolean>,
  ) => Promise<Outcome>;
  /**
   * Removes what nobody can get any more: files of the task, temporary files, contents of volumes.
   *
   * @param kept paths of the results
   */
  readonly tidy: (job: JobId, machines: number, kept: readonly string[]) => Promise<void>;
};

const MIB = 2 ** 20;

/** @param jobsRoot directory of all jobs */
export function createKeeping(jobsRoot: string): ResultsRoom {
  return {
    within: async (job, outcome, most, grow) => {
      const { results } = outcome;
      if (sizeOfAll(results) <= most) return outcome;
      const fileOf = ({ path }: JobResult): string => join(jobsRoot, job, path);
      // When a file is missing, an executor before us chose already, because there was no room.
      const areThere = await Promise.all(
        results.map(
          async (result) =>
            (await lstat(fileOf(result)).catch(() => undefined))?.size === result.size,
        ),
      );
      if (areThere.every(Boolean) && (await grow(sizeOfAll(results)))) return outcome;
      const sizes = choose(results, most);
      for (const result of results) {
        const size = sizes.get(result.id);
        if (size === undefined) await rm(fileOf(result), { force: true });
        else if (size < result.size) await truncate(fileOf(result), size);
      }
      return tooMuch(
        outcome,
        results.flatMap((result) => {
          const size = sizes.get(result.id);
          return size === undefined ? [] : [{ ...result, size }];
        }),
        most,
      );
    },
    tidy: async (job, machines, kept) => {
      const root = directoryOf(jobsRoot, job).root;
      const runs =
        machines === 1
          ? [job]
          : Array.from({ length: machines }, (_, machine) => machineRunId(job, machine));
      for (const run of runs) {
        const place = directoryOf(jobsRoot, run);
        for (const path of [place.task, place.tmp, place.volumes, place.work, place.out])
          await removeBut(root, path.slice(root.length + 1), kept);
      }
    },
  };
}

function sizeOfAll(results: readonly JobResult[]): number {
  return results.reduce((sum, { size }) => sum + size, 0);
}

/**
 * Chooses the results that fit, the smallest first, so that most of them do. Of what was printed it
 * keeps the beginning.
 */
function choose(results: readonly JobResult[], bytes: number): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  let left = bytes;
  for (const { id, size } of results.toSorted(
    (a, b) => a.size - b.size || (a.id < b.id ? -1 : 1),
  )) {
    const kept = size <= left ? size : logPath(id) === undefined ? undefined : left;
    if (kept === undefined) continue;
    sizes.set(id, kept);
    left -= kept;
  }
  return sizes;
}

function tooMuch(outcome: Outcome, results: readonly JobResult[], most: number): Outcome {
  if (outcome.kind !== 'completed') return { ...outcome, results };
  const message =
    `the job left ${printed(sizeOfAll(outcome.results))}, and there is room ` +
    `for ${printed(most)}: ${results.length} of ${outcome.results.length} ` +
    'results are kept, the smallest';
  return {
    kind: 'failed',
    results,
    code: 'results-exceeded',
    message,
    detail: '',
    transient: false,
    usage: outcome.usage,
  };
}

function printed(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}

/**
 * Removes everything below a directory of a run but these files, which are relative to `root`.
 * Links are removed, not followed.
 */
async function removeBut(root: string, directory: string, kept: readonly string[]): Promise<void> {
  const inside = kept.filter((path) => path.startsWith(`${directory}/`));
  if (inside.length === 0) return removeTree(join(root, directory));
  for await (const entry of await opendir(join(root, directory))) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) await removeBut(root, path, inside);
    else if (!inside.includes(path)) await rm(join(root, path), { force: true });
  }
}
