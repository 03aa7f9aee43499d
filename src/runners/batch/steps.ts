import { setTimeout as delay } from 'node:timers/promises';
import { isUnended, type BatchSystem } from './system.ts';

/** Each round is a question, and a call for each step that is left. */
const ROUNDS = 12;
const POLITE_ROUNDS = 4;
const PAUSE_MS = 500;

/** Name of the jobs that a job hands to its batch system. @param job its own name there */
export function stepsName(job: string): string {
  return `${job}-step`;
}

/**
 * Ends all jobs of a name. Whoever started them is gone, perhaps by `kill -9`.
 *
 * @throws Error while some of them are left: it can be tried again
 */
export async function endSteps(system: BatchSystem, name: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const going = (await system.jobs()).filter((job) => job.name === name && isUnended(job.phase));
    if (going.length === 0) return;
    for (const { id, phase } of going)
      await system.cancel(id, phase === 'running' && round >= POLITE_ROUNDS ? 'now' : 'politely');
    await delay(PAUSE_MS);
  }
  throw new Error(`${system.title} has not ended all jobs of the name ${name} yet`);
}
