/**
 * States of a session: an offer, and the job it becomes. One table of allowed transitions;
 * prisma/functions.sql holds the same table for the database, and a test compares them.
 */
export const SESSION_TRANSITIONS = {
  /** capacity is held; ends by itself at `expires` */
  OFFERED: ['ACCEPTED', 'REJECTED', 'EXPIRED'],
  /** by the client, or because a sibling was accepted */
  REJECTED: [],
  EXPIRED: [],
  /** capacity is firm; the job exists */
  ACCEPTED: ['WAITING', 'PREPARING', 'FAILED', 'CANCELLED'],
  /** committed, not yet begun */
  WAITING: ['PREPARING', 'FAILED', 'CANCELLED'],
  /** an executor has it: data is fetched, directories are made */
  PREPARING: ['WAITING', 'AVAILABLE', 'RUNNING', 'RELEASING', 'FAILED', 'CANCELLED'],
  /** everything is there, its start time is not */
  AVAILABLE: ['RUNNING', 'RELEASING', 'FAILED', 'CANCELLED'],
  RUNNING: ['RELEASING', 'FAILED', 'CANCELLED'],
  /** the run ended; results are collected, resources given back */
  RELEASING: ['COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<string, readonly string[]>;

export type SessionState = keyof typeof SESSION_TRANSITIONS;

/** States that a client may ask for with POST /offers/{id}. */
export type ClientUpdate = 'ACCEPTED' | 'REJECTED' | 'CANCELLED';

const CLIENT_UPDATES: readonly ClientUpdate[] = ['ACCEPTED', 'REJECTED', 'CANCELLED'];

/** What a client may ask for in this state: the `allowed` of a 409 problem document. */
export function allowedUpdates(state: SessionState): readonly ClientUpdate[] {
  const next: readonly string[] = SESSION_TRANSITIONS[state];
  return CLIENT_UPDATES.filter((update) => next.includes(update));
}
