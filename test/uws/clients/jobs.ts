import type { Job } from '../../../src/uws/job.ts';
import { parseOfferId } from '../../../src/words/ids.ts';
import { randomUUID } from 'node:crypto';

export function newId() {
  const id = parseOfferId(randomUUID());
  if (id === undefined) throw new Error('not an id');
  return id;
}

/** A queued job of nobody in particular, to be varied. */
export function job(change: Partial<Job> = {}): Job {
  return {
    id: newId(),
    owner: 'anonymous',
    ownerName: null,
    runId: null,
    state: 'WAITING',
    startMode: 'AUTO',
    archived: false,
    createdAt: at('10:00:00.123'),
    startedAt: null,
    endedAt: null,
    executionS: 3600,
    destructionAt: new Date('2026-08-17T10:00:00Z'),
    error: null,
    results: [],
    destination: 'local',
    runner: 'process',
    parameters: [],
    queuePosition: null,
    claimAt: null,
    decision: null,
    usage: null,
    startsAt: at('10:30:00'),
    now: at('10:05:00'),
    ...change,
  };
}

export const places = { offers: 'https://host/planner/offers', list: 'https://host/planner/jobs' };

function at(time: string): Date {
  return new Date(`2026-08-10T${time}Z`);
}
