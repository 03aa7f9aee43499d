import type { Database } from '../../db/client.ts';
import type { Principal } from '../../identity/principal.ts';
import type { PrintableOffer } from '../../planner/dialect.ts';
import type { OfferRow } from '../../planner/record/offer-rows.ts';
import type { OfferJob } from '../../planner/session.ts';
import type { SessionState } from '../../planner/states.ts';
import { printableOffer } from '../../planner/told.ts';
import type { Job } from '../../uws/job.ts';
import { readJob } from '../../uws/store/read-job.ts';
import type { OfferId } from '../../words/ids.ts';
import { showOffer } from '../asks/offer-updates.ts';

/** States of an offer of which no job was made. */
export const WITHOUT_JOB: ReadonlySet<SessionState> = new Set(['OFFERED', 'REJECTED', 'EXPIRED']);

/**
 * An offer with what became of its job.
 *
 * @param shown the state to show, if it is not the latest
 * @throws Problem `offer-unknown` (404)
 */
export async function readSession(
  database: Database,
  id: OfferId,
  reader: Principal,
  shown?: SessionState,
): Promise<PrintableOffer> {
  return readSessionOf(database, await showOffer(database, id, reader), reader, shown);
}

/** {@link readSession} of a row that was read already. */
export async function readSessionOf(
  database: Database,
  row: OfferRow,
  reader: Principal,
  shown?: SessionState,
): Promise<PrintableOffer> {
  const job = WITHOUT_JOB.has(row.state) ? undefined : await readJob(database, row.id);
  const state = shown ?? stateOf(job) ?? row.state;
  const offer = printableOffer({ ...row, state }, reader);
  if (job === undefined) return offer;
  const changes = [job.startedAt, job.endedAt].map((at) => at?.getTime() ?? 0);
  const modifiedAt = Math.max(offer.modifiedAt, ...changes);
  return { ...offer, modifiedAt, job: printableJob(job) };
}

/** The job was read later than its offer. */
function stateOf(job: Job | undefined): SessionState | undefined {
  return job === undefined || job.state === 'UNKNOWN' ? undefined : job.state;
}

function printableJob(job: Job): OfferJob {
  const { startMode, startedAt, endedAt, destructionAt, archived, queuePosition, error } = job;
  return {
    start: startMode,
    startedAt: startedAt?.getTime(),
    endedAt: endedAt?.getTime(),
    destroyedAt: destructionAt.getTime(),
    isArchived: archived,
    queuePosition: queuePosition ?? undefined,
    error: error === null ? undefined : { code: error.code, message: error.message },
    results: job.results.map(({ id, size, mimeType }) => ({ id, size: Number(size), mimeType })),
    usage: job.usage ?? undefined,
  };
}
