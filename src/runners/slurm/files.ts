import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import { readJson, writeJson, type JobDirectory } from '../run/directory.ts';
import type { SlurmRequest } from './client.ts';

/**
 * The request for a job. The job's directory keeps it from before it is sent, so that the next
 * executor can send it again.
 */
export type SlurmIntent = {
  readonly request: SlurmRequest;
  /** milliseconds of the epoch */ readonly since: number;
};

/** Writes down what will be sent. */
export async function writeSlurmIntent(place: JobDirectory, intent: SlurmIntent): Promise<void> {
  return writeJson(intentFile(place), intent);
}

/** Undefined when the job never came so far. */
export async function readSlurmIntent(place: JobDirectory): Promise<SlurmIntent | undefined> {
  const value = await readJson(intentFile(place));
  if (!isRecord(value) || typeof value['since'] !== 'number') return undefined;
  const request = parseRequest(value['request']);
  return request && { request, since: value['since'] };
}

/** Writes down Slurm's id of the job. */
export async function writeId(place: JobDirectory, id: number): Promise<void> {
  return writeJson(idFile(place), { id });
}

/** Slurm's id of the job; undefined when its answer did not come. */
export async function readId(place: JobDirectory): Promise<number | undefined> {
  const value = await readJson(idFile(place));
  return isRecord(value) && typeof value['id'] === 'number' ? value['id'] : undefined;
}

function intentFile({ root }: JobDirectory): string {
  return join(root, 'slurm-request.json');
}

function parseRequest(value: unknown): SlurmRequest | undefined {
  if (!isRecord(value)) return undefined;
  const {
    name,
    script,
    directory,
    reservation,
    begin,
    stdout,
    stderr,
    minutes,
    cpus,
    memory,
    gres,
  } = value;
  if (typeof name !== 'string' || typeof script !== 'string' || typeof directory !== 'string')
    return undefined;
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
  if (typeof minutes !== 'number' || typeof cpus !== 'number' || typeof memory !== 'number')
    return undefined;
  return {
    name,
    script,
    directory,
    stdout,
    stderr,
    minutes,
    cpus,
    memory,
    reservation: typeof reservation === 'string' ? reservation : undefined,
    begin: typeof begin === 'number' ? begin : undefined,
    gres: typeof gres === 'string' ? gres : undefined,
  };
}

function idFile({ root }: JobDirectory): string {
  return join(root, 'slurm-id.json');
}
