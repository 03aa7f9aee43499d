/**
 * Somebody else has the job now, under a later attempt: whoever gets this stops
 * without touching anything of it.
 */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor(job: string) {
    super(`another executor has ${job} now`);
  }
}
