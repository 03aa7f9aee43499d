import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import { readJson, writeJson, writeJsonOnce, type JobDirectory } from '../run/directory.ts';
import { parseManifest, type Manifest } from './manifests/manifest.ts';
import type { ClusterEnding } from './pods/ending.ts';

/**
 * The objects of a job. The job's directory keeps them from before they are sent, so that the next
 * executor can go on.
 */
export type ClusterIntent = {
  /** milliseconds of the epoch */
  readonly since: number;
  /** in the order in which they are made; a Job has what comes after it */
  readonly manifests: readonly Manifest[];
  /**
   * where the output is: files of the job's directory, the log of its one
   * container, or the logs of many
   */
  readonly output: 'files' | 'log' | 'logs';
  /** how many pods a parallel job has; absent: it is none */
  readonly machines?: number;
};

const OUTPUTS = ['files', 'log', 'logs'] as const;

export async function writeIntent(place: JobDirectory, intent: ClusterIntent): Promise<void> {
  return writeJson(intentFile(place), intent);
}

/** Undefined when the job never came so far. */
export async function readIntent(place: JobDirectory): Promise<ClusterIntent | undefined> {
  const value = await readJson(intentFile(place));
  if (!isRecord(value) || typeof value['since'] !== 'number' || !Array.isArray(value['manifests']))
    return undefined;
  const manifests = value['manifests'].flatMap((item: unknown) => parseManifest(item) ?? []);
  const machines = value['machines'];
  const output = OUTPUTS.find((known) => known === value['output']);
  return output === undefined || manifests.length !== value['manifests'].length
    ? undefined
    : {
        since: value['since'],
        manifests,
        output,
        ...(typeof machines === 'number' && { machines }),
      };
}

/** Stands for the uid of a Job when none will run. */
const NONE = 'none';

/**
 * Decides which of all Jobs that ever have this name may run, by the cluster's id. The first writer
 * wins.
 *
 * @returns whether this one may
 */
export async function release(place: JobDirectory, name: string, uid: string): Promise<boolean> {
  await writeJsonOnce(releasedFile(place, name), { uid });
  const value = await readJson(releasedFile(place, name));
  return isRecord(value) && value['uid'] === uid;
}

/**
 * Makes sure that no Job of an intent runs that was not released before. @returns false when one
 * was
 */
export async function releaseNone(
  place: JobDirectory,
  { manifests }: ClusterIntent,
): Promise<boolean> {
  let isNone = true;
  for (const { kind, metadata } of manifests)
    if (kind === 'Job') isNone = (await release(place, metadata.name, NONE)) && isNone;
  return isNone;
}

/** Notes that every object was made: an object that is missing later was removed. */
export async function writeSent(place: JobDirectory): Promise<void> {
  return writeJsonOnce(sentFile(place), {});
}

export function wasSent(place: JobDirectory): boolean {
  return existsSync(sentFile(place));
}

/**
 * Writes down when the run began, milliseconds of the epoch; the first writer wins.
 * @returns the time that counts
 */
export async function noteStarted(place: JobDirectory, startedAt: number): Promise<number> {
  await writeJsonOnce(startedFile(place), { startedAt });
  return (await readStarted(place)) ?? startedAt;
}

export async function readStarted(place: JobDirectory): Promise<number | undefined> {
  const value = await readJson(startedFile(place));
  return isRecord(value) && typeof value['startedAt'] === 'number' ? value['startedAt'] : undefined;
}

/** Keeps how a run ended while its objects are being removed. */
export async function writeEnded(place: JobDirectory, ending: ClusterEnding): Promise<void> {
  return writeJsonOnce(endedFile(place), ending);
}

const REASONS = ['memory', 'wall-time', 'output', 'cpu-time', 'cancelled'] as const;
const CODES = [
  'task-failed',
  'runner-failed',
  'run-lost',
  'fetch-failed',
  'queue-limit-exceeded',
] as const;

/** Undefined when it is not known to have ended. */
export async function readEnded(place: JobDirectory): Promise<ClusterEnding | undefined> {
  const value = await readJson(endedFile(place));
  if (!isRecord(value)) return undefined;
  const { kind, code, reason, message, transient } = value;
  if (kind === 'exit' && typeof code === 'number') return { kind, code };
  const over = REASONS.find((known) => known === reason);
  if (kind === 'over' && over !== undefined) return { kind, reason: over };
  const failure = CODES.find((known) => known === code);
  return kind === 'failed' && failure !== undefined && typeof message === 'string'
    ? { kind, code: failure, message, transient: transient === true }
    : undefined;
}

function intentFile({ root }: JobDirectory): string {
  return join(root, 'kubernetes.json');
}

function releasedFile({ root }: JobDirectory, name: string): string {
  return join(root, `kubernetes-released-${name}.json`);
}

function sentFile({ root }: JobDirectory): string {
  return join(root, 'kubernetes-sent.json');
}

function startedFile({ root }: JobDirectory): string {
  return join(root, 'kubernetes-started.json');
}

function endedFile({ root }: JobDirectory): string {
  return join(root, 'kubernetes-ended.json');
}
