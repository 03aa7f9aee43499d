import type { Database } from '../db/client.ts';
import { afterwardsOf } from './claims/afterwards.ts';
import { attemptsOf } from './claims/attempts.ts';
import type { Claimant } from './claims/claimant.ts';
import { takingOf } from './claims/taking.ts';

/** The executor's statements on the book; each is one round trip. */
export function createClaims(database: Database, claimant: Claimant) {
  return {
    ...takingOf(database, claimant),
    ...attemptsOf(database, claimant),
    ...afterwardsOf(database),
  };
}

export type Claims = ReturnType<typeof createClaims>;
