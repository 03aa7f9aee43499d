import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which jobs an executor can reach, and what the book calls that. */
export type ReachableJobs = {
  /** of jobs whose engine is on this machine */
  readonly host: string;
  /**
   * of jobs of these destinations, whose engines are reached from anywhere: the
   * directory of jobs that executors share
   */
  readonly shared?: { readonly home: string; readonly destinations: readonly string[] } | undefined;
};

/** What `job.host` is for the jobs that this executor can go on with. */
export function homeNamesOf({ host, shared }: ReachableJobs): readonly string[] {
  return shared === undefined ? [host] : [host, shared.home];
}

/** A message of the queue that only executors of one home take. */
export function messageFor(task: 'stop' | 'remove', home: string): string {
  return `${task}@${home}`;
}

const FILE = '.home';
const UUID = /^[0-9a-f-]{36}$/;

/**
 * The name of a directory of jobs: the same for all executors that have it, on whatever host and
 * under whatever path. The first one writes it there.
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
    // Of two that come first one is too late; a file that is not ours
    // to read is replaced by nobody.
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
