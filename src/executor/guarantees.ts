import type { Database } from '../db/client.ts';
import { engineKindOf } from '../runners/engine.ts';
import type { Advance, RunSlot } from '../runners/port.ts';
import type { JobId } from '../words/ids.ts';
import { jobOfRun, machineRunId, type RunId } from '../words/run-id.ts';
import type { Promised } from '../planner/offer.ts';
import { runsOf } from '../planner/judge/runs.ts';
import { claimRound, type RoundParts } from './round-claim.ts';

/** How often one of all executors looks, seconds. */
const EVERY_S = 2;
/** A slot that begins sooner gets no reservation: the job would be in the queue before it. */
const SOONEST_S = 5;

/**
 * Does one round: where the site wants it, the engine itself keeps free what was accepted, and
 * gives it back once the job is over. Every round asks the engine what it has reserved, so nothing
 * stays that an executor left behind.
 */
export async function guaranteeRound(parts: RoundParts): Promise<void> {
  for (const [destination, { engine }] of parts.destinations) {
    const advance =
      engineKindOf(engine).isGuaranteed?.(engine) === true
        ? parts.runners.byDestination.get(destination)?.advance
        : undefined;
    if (advance === undefined) continue;
    if (!(await claimRound(parts.database, `guarantee ${destination}`, EVERY_S))) continue;
    await settle(parts, destination, advance).catch((error: unknown) =>
      parts.log.warn(
        { err: error, destination },
        'reservations at the engine could not be looked at',
      ),
    );
  }
}

async function settle(
  { database, log }: RoundParts,
  destination: string,
  advance: Advance,
): Promise<void> {
  const slots = await waitingAt(database, destination);
  const there = await advance.list();
  for (const slot of slots.filter(({ job }) => !there.includes(job))) {
    const refusal = await advance.make(slot);
    if (refusal === undefined) log.info({ offer: slot.job, destination }, 'reserved at the engine');
    else
      log.warn(
        { offer: slot.job, destination, refusal },
        'the engine reserves nothing for a job: it will wait in its queue',
      );
  }
  for (const job of await overOf(database, there)) {
    await advance.drop(job);
    log.info({ offer: job, destination }, 'given back at the engine');
  }
}

/**
 * The jobs of a destination that have not begun, machine by machine, with what the book reserves
 * for them.
 */
async function waitingAt(database: Database, destination: string): Promise<readonly RunSlot[]> {
  const rows = await database.$queryRaw<
    { job: JobId; promise: Promised; startsAt: number; endsAt: number }[]
  >`
    SELECT o.id AS job, o.promise, (extract(epoch FROM r.starts_at) * 1000)::float8 AS "startsAt",
      (extract(epoch FROM r.ends_at) * 1000)::float8 AS "endsAt"
    FROM offer o JOIN job j ON j.id = o.id JOIN reservation r ON r.offer_id = o.id AND r.state = 'FIRM'
    WHERE o.destination_id = ${destination} AND j.ended_at IS NULL AND o.state IN ('ACCEPTED', 'WAITING')
      AND r.starts_at > clock_timestamp() + make_interval(secs => ${SOONEST_S})`;
  return rows.flatMap(({ job, promise, startsAt, endsAt }) =>
    runsOf(promise).map(({ cores, allocation }, machine, { length }): RunSlot => ({
      job: length === 1 ? job : machineRunId(job, machine),
      cores,
      machines: allocation?.length ?? 1,
      startsAt,
      endsAt,
    })),
  );
}

/** The runs that are over; this database says nothing of jobs that it never had. */
async function overOf(database: Database, runs: readonly RunId[]): Promise<readonly RunId[]> {
  if (runs.length === 0) return [];
  const jobs = new Set(runs.map((run) => jobOfRun(run).job));
  const rows = await database.$queryRaw<{ id: JobId }[]>`
    SELECT o.id FROM offer o LEFT JOIN job j ON j.id = o.id WHERE o.id = ANY (${[...jobs]}::uuid[])
    AND (j.id IS NULL OR j.ended_at IS NOT NULL)`;
  const over = new Set(rows.map(({ id }) => id));
  return runs.filter((run) => over.has(jobOfRun(run).job));
}
