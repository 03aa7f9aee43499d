/**
 * Another executor has the job now, under a later attempt. Whoever gets this error stops and
 * touches nothing of the job.
 */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor(job: string) {
    super(`another executor has ${job} now`);
  }
}
