import { type ControlParameters, readCount, singleAs } from './control.ts';
import type { Job } from '../job.ts';
import { ONE_OF_PHASES } from './list-filter.ts';
import { isActive, parsePhase, type Phase, phaseOf } from '../phases.ts';

/** WAIT and PHASE in the URL of a job (UWS § 2.2.1.2). */
type Wait = { readonly seconds: number; readonly whilePhase: Phase | undefined };

/**
 * Reads WAIT: whole seconds above 0, or -1 for the longest wait. Both stop at `capS`, which is
 * below the usual time-outs of TCP.
 *
 * @returns undefined when the client does not want to wait.
 * @throws Problem `parameter-invalid` (400).
 */
export function readWait(parameters: ControlParameters, capS: number): Wait | undefined {
  const seconds = singleAs(parameters, 'WAIT', 'a whole number of seconds above 0, or -1', (text) =>
    text === '-1' ? capS : readCount(text) || undefined,
  );
  const whilePhase = singleAs(parameters, 'PHASE', ONE_OF_PHASES, parsePhase);
  return seconds === undefined ? undefined : { seconds: Math.min(seconds, capS), whilePhase };
}

/** Can the job leave its phase by itself, and is this the phase that the client names? */
export function isWorthWaiting(job: Job, { whilePhase }: Wait): boolean {
  const phase = phaseOf(job);
  return isActive(phase) && (whilePhase === undefined || whilePhase === phase);
}
