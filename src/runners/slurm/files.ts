import { join } from 'node:path';
import { isRecord } from '../../words/record.ts';
import { readJson, writeJson, type JobDirectory } from '../process/directory.ts';
import type { SlurmRequest } from './client.ts';

/** A request as the job's directory keeps it from before it is sent, so that whoever comes after us can send it again. */
export type SlurmIntent = { readonly request: SlurmRequest; /** milliseconds of the epoch */ readonly since: number };

const intentFile = ({ root }: JobDirectory): string => join(root, 'slurm-request.json');
const idFile = ({ root }: JobDirectory): string => join(root, 'slurm-id.json');

const parseRequest = (value: unknown): SlurmRequest | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, script, directory, reservation, begin, stdout, stderr, minutes, cpus, memory, gres } = value;
  if (typeof name !== 'string' || typeof script !== 'string' || typeof directory !== 'string') return undefined;
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
  if (typeof minutes !== 'number' || typeof cpus !== 'number' || typeof memory !== 'number') return undefined;
  return {
    name, script, directory, stdout, stderr, minutes, cpus, memory,
    reservation: typeof reservation === 'string' ? reservation : undefined,
    begin: typeof begin === 'number' ? begin : undefined,
    gres: typeof gres === 'string' ? gres : undefined,
  };
};

/** Writes down what will be sent. */
export const writeSlurmIntent = async (place: JobDirectory, intent: SlurmIntent): Promise<void> => writeJson(intentFile(place), intent);

/** What was to be sent; undefined when the job never came so far. */
export const readSlurmIntent = async (place: JobDirectory): Promise<SlurmIntent | undefined> => {
  const value = await readJson(intentFile(place));
  if (!isRecord(value) || typeof value['since'] !== 'number') return undefined;
  const request = parseRequest(value['request']);
  return request && { request, since: value['since'] };
};

/** Writes down what Slurm calls the job. */
export const writeId = async (place: JobDirectory, id: number): Promise<void> => writeJson(idFile(place), { id });

/** What Slurm calls the job; undefined when its answer did not come. */
export const readId = async (place: JobDirectory): Promise<number | undefined> => {
  const value = await readJson(idFile(place));
  return isRecord(value) && typeof value['id'] === 'number' ? value['id'] : undefined;
};
