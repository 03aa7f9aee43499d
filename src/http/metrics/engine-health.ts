import type { Database } from '../../db/client.ts';
import { sharedFor } from '../../words/shared-for.ts';
import type { EngineStates } from '../../vosi/engines.ts';

const FRESH_MS = 2000;

/**
 * Reads what executors say about the engines of destinations: an engine that answers any executor
 * can run jobs.
 *
 * @param clock milliseconds, never going back
 */
export function openEngineHealth(
  database: Database,
  clock: () => number,
): () => Promise<EngineStates> {
  return sharedFor(FRESH_MS, clock, () => read(database));
}

async function read(database: Database): Promise<EngineStates> {
  const rows = await database.$queryRaw<{ destination: string; answers: boolean }[]>`
    SELECT e.key AS destination, bool_or(e.value = 'true') AS answers FROM executor, jsonb_each(engines) AS e
    WHERE lease_until > clock_timestamp() GROUP BY e.key`;
  return new Map(
    rows.map(({ destination, answers }) => [destination, answers ? 'answers' : 'silent']),
  );
}
