import { isRecord } from '../../words/record.ts';
import type { JobErrorCode } from '../../words/catalogue.ts';
import type { JobResult, Limits, Outcome, StopReason, Usage } from '../port.ts';
import { readJson, writeJsonOnce, type JobDirectory } from './directory.ts';
import type { Failure } from './failure.ts';
import { parseUsage } from './usage.ts';

/** Why and by whom a job was stopped, as `stopped.json` keeps it. */
export type Stop = { readonly reason: StopReason; readonly message: string };

export type FailedRun = Extract<Outcome, { readonly kind: 'failed' }>;

const SIGNALS: ReadonlyMap<number, string> = new Map([
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [14, 'SIGALRM'],
  [15, 'SIGTERM'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
]);
const SIGXCPU = 24;
const SIGXFSZ = 25;

/** "exit code 3", or "signal SIGSEGV": a shell tells a signal as 128 and its number. */
export function describeExit(exit: number): string {
  const signal = exit > 128 ? SIGNALS.get(exit - 128) : undefined;
  return signal === undefined ? `exit code ${exit}` : `signal ${signal}`;
}

/** What stopped a job, in a sentence with its numbers. */
export function stopMessage(reason: StopReason, limits: Limits, used?: string): string {
  switch (reason) {
    case 'cancelled':
      return 'stopped on request';
    case 'wall-time':
      return `stopped after ${limits.wallTime} s, its execution duration`;
    case 'cpu-time':
      return `stopped: one process used more CPU time than ${limits.wallTime} s on ${limits.cores / 1000} cores`;
    case 'memory':
      return used === undefined
        ? `stopped: it needed more memory than the ${limits.memory} MiB that were offered`
        : `stopped: it used ${used} of memory, and ${limits.memory} MiB were offered`;
    case 'output':
      return `stopped: it wrote ${used ?? 'more'}, and ${limits.scratch} MiB of scratch space were offered`;
    default:
      return reason satisfies never;
  }
}

/** A stop with the message that {@link stopMessage} has for its reason. */
export function stopFor(reason: StopReason, limits: Limits, used?: string): Stop {
  return { reason, message: stopMessage(reason, limits, used) };
}

/** A run that failed; trying again may help unless `more` says otherwise. */
export function failedRun(
  code: JobErrorCode,
  message: string,
  more: Partial<Pick<FailedRun, 'results' | 'transient'>> = {},
): FailedRun {
  return { kind: 'failed', results: [], code, message, detail: '', transient: true, ...more };
}

/** A run that was stopped while nothing of it had begun. */
export const STOPPED_BEFORE: Outcome = {
  kind: 'stopped',
  reason: 'cancelled',
  message: 'stopped on request before it began',
  results: [],
};

/** What is known when a run is over. */
export type ProcessEnding = {
  readonly limits: Limits;
  readonly exit: number | undefined;
  readonly timedOut: boolean;
  /** the kernel killed a process of it for want of memory */
  readonly outOfMemory?: boolean;
  readonly stop: Stop | undefined;
  readonly failure: Failure | undefined;
  /** end of standard error */
  readonly stderr: string;
  readonly results: readonly JobResult[];
  readonly usage?: Usage | undefined;
};

/**
 * How the run ended. A job that completed before a request to stop reached it has completed; one that
 * exceeded a limit has not, even if it ended well when it was told to.
 */
export function outcomeOf(ending: ProcessEnding): Outcome {
  return { ...withoutUsage(ending), ...usedOf(ending) };
}

const REASONS: readonly StopReason[] = ['cancelled', 'wall-time', 'cpu-time', 'memory', 'output'];

/** How a run ended; undefined while nobody has written it down. */
export async function readOutcome({ outcome }: JobDirectory): Promise<Outcome | undefined> {
  return parseOutcome(await readJson(outcome));
}

/** Whether nobody knows how a run ended: its engine may still have it. */
export function isLost(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.code === 'run-lost';
}

/** Writes down why the service stops a run. The first reason stays. */
export function noteStop({ stopped }: JobDirectory, stop: Stop): Promise<void> {
  return writeJsonOnce(stopped, stop);
}

/** Why the service stopped a run; undefined when it did not. */
export async function readStop({ stopped }: JobDirectory): Promise<Stop | undefined> {
  return parseStop(await readJson(stopped));
}

/** Reads `stopped.json` back. */
export function parseStop(value: unknown): Stop | undefined {
  if (!isRecord(value) || typeof value['message'] !== 'string') return undefined;
  const reason = REASONS.find((known) => known === value['reason']);
  return reason && { reason, message: value['message'] };
}

/** Reads `outcome.json` back; undefined when it is not one. */
export function parseOutcome(value: unknown): Outcome | undefined {
  const outcome = parseEnding(value);
  return outcome && isRecord(value)
    ? { ...outcome, ...usedOf({ usage: parseUsage(value['usage']) }) }
    : outcome;
}

/** The usage of an outcome, for another outcome of the same run. */
export function usedOf({ usage }: Pick<Outcome, 'usage'>): Pick<Outcome, 'usage'> {
  return usage === undefined ? {} : { usage };
}

function withoutUsage(ending: ProcessEnding): Outcome {
  const { exit, failure, results, stderr } = ending;
  if (exit === 0 && !isExceeded(ending)) return { kind: 'completed', results };
  const stop = stopOf(ending);
  if (stop !== undefined) return { kind: 'stopped', ...stop, results };
  if (exit === undefined) {
    const message =
      'the executor or the machine stopped while the job ran, and how it ended is not known';
    return { ...failedRun('run-lost', message, { results }), detail: stderr };
  }
  if (failure !== undefined) return { kind: 'failed', results, ...failure, transient: false };
  const message = `the task ended with ${describeExit(exit)}`;
  return { ...failedRun('task-failed', message, { results, transient: false }), detail: stderr };
}

function parseEnding(value: unknown): Outcome | undefined {
  if (!isRecord(value) || !Array.isArray(value['results'])) return undefined;
  const results = value['results'].map(parseResult).filter((result) => result !== undefined);
  const { kind, code, message, detail, transient } = value;
  if (kind === 'completed') return { kind, results };
  const stop = parseStop(value);
  if (kind === 'stopped' && stop !== undefined) return { kind, ...stop, results };
  if (kind !== 'failed' || typeof code !== 'string' || typeof message !== 'string')
    return undefined;
  const more = { detail: typeof detail === 'string' ? detail : '', transient: transient === true };
  return { kind, results, code, message, ...more };
}

function isExceeded({ timedOut, stop }: ProcessEnding): boolean {
  return timedOut || (stop !== undefined && stop.reason !== 'cancelled');
}

function stopOf({ limits, exit, timedOut, outOfMemory, stop }: ProcessEnding): Stop | undefined {
  if (timedOut) return stopFor('wall-time', limits);
  if (stop !== undefined) return stop;
  if (outOfMemory === true) return stopFor('memory', limits);
  if (exit === 128 + SIGXCPU) return stopFor('cpu-time', limits);
  if (exit === 128 + SIGXFSZ) return stopFor('output', limits, 'a larger file');
  return undefined;
}

function parseResult(value: unknown): JobResult | undefined {
  if (!isRecord(value)) return undefined;
  const { id, path, mimeType, size } = value;
  return typeof id === 'string' &&
    typeof path === 'string' &&
    typeof mimeType === 'string' &&
    typeof size === 'number'
    ? { id, path, mimeType, size }
    : undefined;
}
