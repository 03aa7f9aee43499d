import type { Database } from '../db/client.ts';
import type { JobId } from '../words/ids.ts';
import { readDecision } from './decision.ts';
import { readJobError } from './error-column.ts';
import type { Job } from './job.ts';

/** Longer values are given by reference, and not read with every look at the job. */
const LONGEST_VALUE = 4000;
/** A place in the queue is counted up to here. */
const FARTHEST = 1000;
/** Most jobs in one statement. */
const BATCH = 200;

type Row = Omit<Job, 'error' | 'decision'> & { readonly error: unknown };

/** One statement, so that phase, times, error and results are of the same instant. */
const readRows = (database: Database, ids: readonly JobId[]): Promise<readonly Row[]> => database.$queryRaw<readonly Row[]>`
  SELECT j.id, j.owner, i.name AS "ownerName", j.run_id AS "runId", j.created_at AS "createdAt", j.started_at AS "startedAt",
         j.ended_at AS "endedAt", j.execution_s AS "executionS", j.destruction_at AS "destructionAt",
         j.archived_at IS NOT NULL AS archived, j.start_mode::text AS "startMode", j.error,
         o.state::text, o.destination_id AS destination, o.runner, o.starts_at AS "startsAt", clock_timestamp() AS now,
         coalesce((SELECT jsonb_agg(jsonb_build_object('id', r.id, 'path', r.path, 'mimeType', r.mime_type,
                                                       'size', r.size) ORDER BY r.place)
                   FROM job_result r WHERE r.job_id = j.id), '[]') AS results,
         coalesce((SELECT jsonb_agg(jsonb_build_object('name', p.name, 'text',
                                                       CASE WHEN p.media_type IS NULL AND octet_length(p.content) <= ${LONGEST_VALUE}
                                                            THEN convert_from(p.content, 'UTF8') END) ORDER BY p.name)
                   FROM job_parameter p WHERE p.job_id = j.id), '[]') AS parameters,
         CASE WHEN o.state = 'WAITING' OR o.state = 'ACCEPTED' AND j.start_mode = 'AUTO' THEN
           1 + (SELECT count(*) FROM (SELECT FROM offer q JOIN job w ON w.id = q.id
                                      WHERE q.destination_id = o.destination_id AND q.state IN ('ACCEPTED', 'WAITING')
                                        AND (q.state = 'WAITING' OR w.start_mode = 'AUTO') AND (q.starts_at, q.id) < (o.starts_at, o.id)
                                      LIMIT ${FARTHEST}) AS before)::int END AS "queuePosition"
  FROM job j JOIN offer o ON o.id = j.id LEFT JOIN identity i ON i.owner = j.owner
  WHERE j.id = ANY (${ids}::uuid[]) AND j.destroyed_at IS NULL`;

type Reader = (id: JobId) => Promise<Row | undefined>;

/**
 * Reads in the next statement what was asked for while the one before was under way. Nobody is given a row that was
 * read before he asked.
 */
const openReader = (database: Database): Reader => {
  let next: { readonly ids: Set<JobId>; readonly rows: Promise<ReadonlyMap<string, Row>> } | undefined;
  let busy: Promise<unknown> = Promise.resolve();
  const start = () => {
    const ids = new Set<JobId>();
    const rows = busy.then(async () => {
      next = undefined;
      return new Map((await readRows(database, [...ids])).map((row) => [row.id, row]));
    });
    busy = rows.catch(() => undefined);
    return { ids, rows };
  };
  return async (id) => {
    if (next === undefined || next.ids.size >= BATCH) next = start();
    next.ids.add(id);
    return (await next.rows).get(id);
  };
};

const readers = new WeakMap<Database, Reader>();

const readerOf = (database: Database): Reader => {
  const known = readers.get(database);
  if (known !== undefined) return known;
  const reader = openReader(database);
  readers.set(database, reader);
  return reader;
};

/** One job with its offer, parameters and results, or undefined when there is none or it was destroyed. */
export const readJob = async (database: Database, id: JobId): Promise<Job | undefined> => {
  const row = await readerOf(database)(id);
  if (row === undefined) return undefined;
  return { ...row, error: readJobError(row.error), decision: await readDecision(database, id) };
};
