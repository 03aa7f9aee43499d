import { queryFast, type Database } from '../../db/client.ts';

/** An offer that its owner can still accept. */
export type OpenOffer = { readonly id: string; readonly ask: string; readonly owner: string };

/** Where a session with a job stands. */
export type JobStanding = {
  readonly id: string;
  readonly owner: string;
  readonly state: string;
  readonly startMode: string;
  readonly isArchived: boolean;
};

/**
 * Reads the open offers of some owners, of all planners. Looks at the holds that have not expired,
 * which a site has few of, since no index leads from an owner to its offers.
 */
export async function readOpenOffers(
  database: Database,
  owners: readonly string[],
): Promise<readonly OpenOffer[]> {
  const rows = await queryFast(
    database,
    'own_open_offers',
    `SELECT o.id, o.ask_id AS ask, o.owner FROM offer o
     WHERE o.state = 'OFFERED' AND o.expires_at > clock_timestamp() AND o.ask_id IN (
       SELECT r.ask_id FROM reservation r JOIN ask a ON a.id = r.ask_id
       WHERE r.state = 'HELD' AND r.expires_at > clock_timestamp() AND a.owner = ANY ($1::text[]))
     ORDER BY o.id`,
    [owners],
  );
  return rows.map((row) => {
    const { id, ask, owner } = Object(row);
    return { id: String(id), ask: String(ask), owner: String(owner) };
  });
}

/** Reads what became of offers; an open one whose time is over is EXPIRED. */
export async function readOfferStates(
  database: Database,
  offers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await queryFast(
    database,
    'own_offer_states',
    `SELECT id, CASE WHEN state = 'OFFERED' AND expires_at <= clock_timestamp() THEN 'EXPIRED'
     ELSE state::text END AS state FROM offer WHERE id = ANY ($1::uuid[])`,
    [offers],
  );
  return new Map(
    rows.map((row) => {
      const { id, state } = Object(row);
      return [String(id), String(state)];
    }),
  );
}

/** Reads those of some sessions that have a job and belong to one of the owners. */
export async function readJobStandings(
  database: Database,
  sessions: readonly string[],
  owners: readonly string[],
): Promise<readonly JobStanding[]> {
  const rows = await queryFast(
    database,
    'own_job_standings',
    `SELECT j.id, j.owner, shown_state(o.state, j.unknown_since)::text AS state, j.start_mode,
       j.archived_at IS NOT NULL AS archived
     FROM job j JOIN offer o ON o.id = j.id
     WHERE j.id = ANY ($1::uuid[]) AND j.owner = ANY ($2::text[])`,
    [sessions, owners],
  );
  return rows.map((row) => {
    const { id, owner, state, start_mode: startMode, archived } = Object(row);
    return {
      id: String(id),
      owner: String(owner),
      state: String(state),
      startMode: String(startMode),
      isArchived: archived === true,
    };
  });
}

/** A text that changes when somebody begins or ends to hold capacity. */
export async function readBookMark(database: Database): Promise<string> {
  const [row] = await queryFast(
    database,
    'book_mark',
    `SELECT concat((SELECT max(id) FROM reservation), ' ', (SELECT count(*) FROM reservation
       WHERE state = 'HELD' AND expires_at > clock_timestamp())) AS mark`,
    [],
  );
  return String(Object(row).mark);
}
