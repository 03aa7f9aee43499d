import type { Database } from '../../db/client.ts';

/** When a job began or ended, by the database's clock, milliseconds since 1970. */
type Event = {
  readonly id: string;
  readonly at: number;
  readonly destination: string;
  readonly runner: string;
};

/** A job that began; seconds. */
export type JobBegin = Event & {
  /** since its offer was accepted */
  readonly waited: number;
  /** since its promised start; null when its client starts it */
  readonly late: number | null;
};

/** A job that ended; seconds. */
export type JobEnd = Event & {
  readonly state: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  /** null: it never began */
  readonly ran: number | null;
};

/**
 * Jobs that began after a time, the first ones first.
 *
 * @param most at most this number
 */
export function readJobBegins(
  database: Database,
  since: number,
  most: number,
): Promise<readonly JobBegin[]> {
  return database.$queryRaw<JobBegin[]>`
    SELECT j.id::text, (extract(epoch FROM j.started_at) * 1000)::float8 AS at,
      o.destination_id AS destination, o.runner,
      greatest(0, extract(epoch FROM j.started_at - j.created_at))::float8 AS waited,
      CASE j.start_mode WHEN 'AUTO'
        THEN greatest(0, extract(epoch FROM j.started_at - o.starts_at))::float8 END AS late
    FROM job j JOIN offer o ON o.id = j.id
    WHERE j.started_at > to_timestamp(${since}::float8 / 1000)
    ORDER BY j.started_at LIMIT ${most}`;
}

/** Jobs that ended after a time, the first ones first. */
export function readJobEnds(
  database: Database,
  since: number,
  most: number,
): Promise<readonly JobEnd[]> {
  return database.$queryRaw<JobEnd[]>`
    SELECT j.id::text, (extract(epoch FROM j.ended_at) * 1000)::float8 AS at,
      o.destination_id AS destination, o.runner, o.state::text AS state,
      extract(epoch FROM j.ended_at - j.started_at)::float8 AS ran
    FROM job j JOIN offer o ON o.id = j.id
    WHERE j.ended_at > to_timestamp(${since}::float8 / 1000)
      AND o.state IN ('COMPLETED', 'FAILED', 'CANCELLED')
    ORDER BY j.ended_at LIMIT ${most}`;
}
