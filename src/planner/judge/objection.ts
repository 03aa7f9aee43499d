import type { Refusal } from '../refusal.ts';

/** A refusal without its destination. */
export type Objection = Omit<Refusal, 'destination'>;
