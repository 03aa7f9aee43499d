import { parseOfferId, type JobId } from './ids.ts';

declare const brand: unique symbol;

/**
 * Id of a run on one machine of a job with several: the job's id, `-` and the number of the
 * machine, from 0.
 */
export type MachineRunId = string & { readonly [brand]: 'MachineRunId' };

/** The id of a run in an engine: the job's id, or one for each of its machines. */
export type RunId = JobId | MachineRunId;

const SHAPE = /^(.{36})-(0|[1-9]\d{0,5})$/;

/** @param machine number of the machine in the job, from 0 */
export function machineRunId(job: JobId, machine: number): MachineRunId {
  const id = `${job}-${machine}`;
  if (isMachineRunId(id)) return id;
  throw new RangeError(`no number of a machine: ${machine}`);
}

/** @returns the id of a run; undefined for any other text */
export function parseRunId(text: string): RunId | undefined {
  return parseOfferId(text) ?? (isMachineRunId(text) ? text : undefined);
}

/** The job of a run, and the number of its machine; undefined for the only machine. */
export function jobOfRun(run: RunId): {
  readonly job: JobId;
  readonly machine: number | undefined;
} {
  const own = parseOfferId(run);
  if (own !== undefined) return { job: own, machine: undefined };
  const [, text = '', machine] = SHAPE.exec(run) ?? [];
  const job = parseOfferId(text);
  if (job === undefined) throw new RangeError(`no id of a run: ${run}`);
  return { job, machine: Number(machine) };
}

/**
 * Directory of a machine's run in the job's directory, and the first part of the ids of its
 * results.
 */
export function machineName(machine: number): string {
  return `machine-${machine}`;
}

const LOG = /^(machine-(?:0|[1-9]\d{0,5}))\.(stdout|stderr)$/;

/**
 * Path of a log in its job's directory, by its id among the results: `stdout` and
 * `machine-2.stdout`; undefined for any other id.
 */
export function logPath(id: string): string | undefined {
  if (id === 'stdout' || id === 'stderr') return id;
  const [, machine, log] = LOG.exec(id) ?? [];
  return machine === undefined ? undefined : `${machine}/${log}`;
}

function isMachineRunId(text: string): text is MachineRunId {
  return parseOfferId(SHAPE.exec(text)?.[1] ?? '') !== undefined;
}
