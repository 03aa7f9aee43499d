import type { BatchPhase } from '../batch/system.ts';

/** Every state that slurm.h 22.05 to 25.11 and its flags name (squeue(1), JOB STATE CODES). */
const PHASES: ReadonlyMap<string, BatchPhase> = new Map([
  ['PENDING', 'queued'],
  ['CONFIGURING', 'queued'],
  ['REQUEUED', 'queued'],
  ['REQUEUE_FED', 'queued'],
  ['REQUEUE_HOLD', 'queued'],
  ['SPECIAL_EXIT', 'queued'],
  ['RESV_DEL_HOLD', 'queued'],
  ['POWER_UP_NODE', 'queued'],
  ['EXPEDITING', 'queued'],
  ['RUNNING', 'running'],
  ['SUSPENDED', 'running'],
  ['STOPPED', 'running'],
  ['SIGNALING', 'running'],
  ['RESIZING', 'running'],
  // Its processes may still be there.
  ['COMPLETING', 'running'],
  ['STAGE_OUT', 'running'],
  ['COMPLETED', 'over'],
  ['FAILED', 'over'],
  ['OUT_OF_MEMORY', 'memory'],
  ['TIMEOUT', 'wall-time'],
  ['CANCELLED', 'cancelled'],
  ['NODE_FAIL', 'lost'],
  ['BOOT_FAIL', 'lost'],
  ['PREEMPTED', 'lost'],
  ['REVOKED', 'lost'],
  ['RECONFIG_FAIL', 'lost'],
  ['DEADLINE', 'broken'],
  ['LAUNCH_FAILED', 'broken'],
]);

/** @returns undefined for a state of a later version */
export function slurmPhaseOf(state: string): BatchPhase | undefined {
  return PHASES.get(state.replace(/\+$/, '').split(/[ ,]/)[0] ?? '');
}
