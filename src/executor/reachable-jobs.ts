import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which jobs an executor can reach, and the names that the book has for these places. */
export type ReachableJobs = {
  /** name for jobs whose engine is on this machine */
  readonly host: string;
  /**
   * name for jobs of destinations whose engines are reached from anywhere: that of the directory of
   * jobs, which executors share
   */
  readonly shared?: { readonly home: string; readonly destinations: readonly string[] } | undefined;
  /** names of the runners that this executor has; any when absent */
  readonly runners?: readonly string[];
};

/** The values of `job.host` for the jobs that this executor can go on with. */
export function homeNamesOf({ host, shared }: ReachableJobs): readonly string[] {
  return shared === undefined ? [host] : [host, shared.home];
}

/** The name of a message that only executors of one home take. */
export function messageFor(task: 'stop' | 'remove', home: string): string {
  return `${task}@${home}`;
}

const FILE = '.home';
const UUID = /^[0-9a-f-]{36}$/;

/**
 * The name of a directory of jobs. All executors that share the directory see the same name, on any
 * host and under any path. The first one writes it there.
 *
 * @throws Error when the directory cannot be written
 */
export function nameOfDirectory(jobsRoot: string): string {
  const file = join(jobsRoot, FILE);
  const known = readName(file);
  if (known !== undefined) return known;
  mkdirSync(jobsRoot, { recursive: true, mode: 0o711 });
  const fresh = `${file}.${randomUUID()}`;
  writeFileSync(fresh, `${randomUUID()}\n`, { mode: 0o644 });
  try {
    // When two executors write at once, one is too late. Nobody replaces a file that we cannot
    // read.
    linkSync(fresh, file);
  } catch {
  } finally {
    rmSync(fresh);
  }
  const written = readName(file);
  if (written === undefined)
    throw new Error(`${file} names no directory of jobs: remove it when no job is left`);
  return written;
}

function readName(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return UUID.test(text) ? `jobs:${text}` : undefined;
  } catch {
    return undefined;
  }
}
