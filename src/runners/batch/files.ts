import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import { readJson, writeJson, type JobDirectory } from '../run/directory.ts';
import type { BatchRequest, BatchSystem } from './system.ts';

/**
 * The request for a job. The job's directory keeps it from before it is sent, so that the next
 * executor can send it again.
 */
export type BatchIntent = {
  readonly request: BatchRequest;
  /** what it is sent to: {@link BatchSystem.reached} */
  readonly reached: string | undefined;
  /** milliseconds of the epoch */ readonly since: number;
};

/** Writes down what will be sent. */
export async function writeBatchIntent(
  engine: string,
  place: JobDirectory,
  intent: BatchIntent,
): Promise<void> {
  return writeJson(intentFile(engine, place), intent);
}

/** Undefined when the job never came so far. */
export async function readBatchIntent(
  engine: string,
  place: JobDirectory,
): Promise<BatchIntent | undefined> {
  const value = await readJson(intentFile(engine, place));
  if (!isRecord(value) || typeof value['since'] !== 'number') return undefined;
  const request = parseRequest(value['request']);
  const { since, reached } = value;
  return request && { request, since, reached: typeof reached === 'string' ? reached : undefined };
}

/** Whether a job was sent by other settings, to a system that this one may not be. */
export function isElsewhere(
  intent: BatchIntent,
  { reached }: Pick<BatchSystem, 'reached'>,
): boolean {
  return intent.reached !== undefined && intent.reached !== reached;
}

/** Writes down The batch system's id of the job. */
export async function writeId(engine: string, place: JobDirectory, id: number): Promise<void> {
  return writeJson(idFile(engine, place), { id });
}

/** The batch system's id of the job; undefined when its answer did not come. */
export async function readId(engine: string, place: JobDirectory): Promise<number | undefined> {
  const value = await readJson(idFile(engine, place));
  return isRecord(value) && typeof value['id'] === 'number' ? value['id'] : undefined;
}

function intentFile(engine: string, { root }: JobDirectory): string {
  return join(root, `${engine}-request.json`);
}

function parseRequest(value: unknown): BatchRequest | undefined {
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
    nodes,
    cpus,
    memory,
    gres,
    steps,
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
    nodes: typeof nodes === 'number' ? nodes : undefined,
    gres: typeof gres === 'string' ? gres : undefined,
    steps: typeof steps === 'string' ? steps : undefined,
  };
}

function idFile(engine: string, { root }: JobDirectory): string {
  return join(root, `${engine}-id.json`);
}
