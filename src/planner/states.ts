/**
 * States of a session (an offer and the job that it becomes) and their allowed transitions.
 * prisma/functions.sql has the same table, and a test compares them.
 */
export const SESSION_TRANSITIONS = {
  /** capacity is held until `expires` */
  OFFERED: ['ACCEPTED', 'REJECTED', 'EXPIRED'],
  /** the client rejected it or accepted a sibling */
  REJECTED: [],
  EXPIRED: [],
  /** capacity is firm; the job exists */
  ACCEPTED: ['WAITING', 'PREPARING', 'FAILED', 'CANCELLED'],
  /** not yet begun */
  WAITING: ['PREPARING', 'FAILED', 'CANCELLED'],
  /** an executor fetches data and makes directories */
  PREPARING: ['WAITING', 'AVAILABLE', 'RUNNING', 'RELEASING', 'FAILED', 'CANCELLED'],
  /** ready before its start time */
  AVAILABLE: ['RUNNING', 'RELEASING', 'FAILED', 'CANCELLED'],
  RUNNING: ['RELEASING', 'FAILED', 'CANCELLED'],
  /** the run ended; results are collected and resources released */
  RELEASING: ['COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<string, readonly string[]>;

export type SessionState = keyof typeof SESSION_TRANSITIONS;

/** States that a client may request for an offer. */
export type ClientUpdate = 'ACCEPTED' | 'REJECTED' | 'CANCELLED';

const CLIENT_UPDATES: readonly ClientUpdate[] = ['ACCEPTED', 'REJECTED', 'CANCELLED'];

/** What a client may request in this state: the `allowed` of a 409 problem document. */
export function allowedUpdates(state: SessionState): readonly ClientUpdate[] {
  const next: readonly string[] = SESSION_TRANSITIONS[state];
  return CLIENT_UPDATES.filter((update) => next.includes(update));
}

/** Is it the name of a state? */
export function isState(text: string): text is SessionState {
  return Object.hasOwn(SESSION_TRANSITIONS, text);
}
