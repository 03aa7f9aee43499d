import { machineName } from '../../words/run-id.ts';
import type { JobResult, Observation, Outcome } from '../port.ts';
import { usedOf } from '../run/outcome.ts';
import { combinedUsage } from '../run/usage.ts';

type Failed = Exclude<Outcome, { readonly kind: 'completed' }>;

/** How a machine ended, by its number in the job. */
export type Ended = { readonly machine: number; readonly outcome: Outcome };

/**
 * Results of one machine as results of the job: their paths and ids begin with the name of the
 * machine.
 */
export function resultsOf({ machine, outcome: { results } }: Ended): readonly JobResult[] {
  return results.map((result) => ({
    ...result,
    id: `${machineName(machine)}.${result.id}`,
    path: `${machineName(machine)}/${result.path}`,
  }));
}

/**
 * The machine that makes a job fail: the first one that failed by itself, otherwise one that was
 * stopped; undefined when all completed.
 */
export function culpritOf(
  ended: readonly Ended[],
): (Ended & { readonly outcome: Failed }) | undefined {
  const failed = ended.filter(hasFailed);
  return failed.find(({ outcome }) => !isCancelled(outcome)) ?? failed[0];
}

/**
 * How a job ended, once all of its machines have: completed when all completed, otherwise as the
 * failed machine with the lowest number.
 */
export function combinedOutcome(ended: readonly Ended[]): Outcome {
  const results = ended.flatMap(resultsOf);
  const usage = combinedUsage(ended.map(({ outcome }) => outcome.usage));
  const culprit = culpritOf(ended);
  if (culprit === undefined) return { kind: 'completed', results, ...usedOf({ usage }) };
  const { machine, outcome } = culprit;
  return isCancelled(outcome)
    ? { ...outcome, results, usage }
    : { ...outcome, results, usage, message: `${machineName(machine)}: ${outcome.message}` };
}

/** The state of a job while some of its machines go on: it runs as soon as one of them does. */
export function stateOf(
  seen: readonly Observation[],
): Exclude<Observation, { readonly state: 'ended' | 'absent' }> {
  if (seen.some(({ state }) => state === 'running')) return { state: 'running' };
  if (seen.some(({ state }) => state === 'unknown')) return { state: 'unknown' };
  return { state: seen.some(({ state }) => state === 'ended') ? 'running' : 'queued' };
}

function hasFailed(ended: Ended): ended is Ended & { readonly outcome: Failed } {
  return ended.outcome.kind !== 'completed';
}

function isCancelled(outcome: Outcome): boolean {
  return outcome.kind === 'stopped' && outcome.reason === 'cancelled';
}
