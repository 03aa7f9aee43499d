import { parseOfferId, type JobId } from './ids.ts';

declare const brand: unique symbol;

/**
 * Id of what one machine of a job with several of them runs: the job's id, `-` and the
 * number of the machine, from 0.
 */
export type MachineRunId = string & { readonly [brand]: 'MachineRunId' };

/** What an engine knows a run by: the job's own id, or one for each of its machines. */
export type RunId = JobId | MachineRunId;

const SHAPE = /^(.{36})-(0|[1-9]\d{0,5})$/;

/** @param machine its number in the job, from 0 */
export function machineRunId(job: JobId, machine: number): MachineRunId {
  const id = `${job}-${machine}`;
  if (isMachineRunId(id)) return id;
  throw new RangeError(`no number of a machine: ${machine}`);
}

/** @returns the id of a run, or undefined when `text` is none */
export function parseRunId(text: string): RunId | undefined {
  return parseOfferId(text) ?? (isMachineRunId(text) ? text : undefined);
}

/**
 * The job that a run belongs to, and which of its machines it is on; undefined for the only one.
 */
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

/** Directory of one machine's run inside its job's, and the beginning of the ids of its results. */
export function machineName(machine: number): string {
  return `machine-${machine}`;
}

const LOG = /^(machine-(?:0|[1-9]\d{0,5}))\.(stdout|stderr)$/;

/**
 * Path of a log in its job's directory, by the id that it has among the results: `stdout` and
 * `machine-2.stdout`; undefined for anything else.
 */
export function logPath(id: string): string | undefined {
  if (id === 'stdout' || id === 'stderr') return id;
  const [, machine, log] = LOG.exec(id) ?? [];
  return machine === undefined ? undefined : `${machine}/${log}`;
}

function isMachineRunId(text: string): text is MachineRunId {
  return parseOfferId(SHAPE.exec(text)?.[1] ?? '') !== undefined;
}
