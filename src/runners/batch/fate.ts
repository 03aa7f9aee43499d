import { existsSync } from 'node:fs';
import type { RunId } from '../../words/run-id.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { BatchVerdict } from './settle.ts';
import { isElsewhere, type BatchIntent } from './files.ts';
import { readNodeStatus } from './status.ts';
import { isUnended, type BatchSystem } from './system.ts';

type Told = Extract<BatchVerdict, { readonly kind: 'told' }>;

/** Times are milliseconds of a clock that nobody sets. */
type Missing = {
  readonly job: RunId;
  readonly intent: BatchIntent;
  /** since when it is not listed, or listed as over and its node has not told how */
  missing: number | undefined;
};

/** How jobs ended, by the system's records and by their nodes; undefined: not known yet. */
export type Fates = {
  /** The fate of a job that is listed as ended. */
  readonly ofListed: (
    job: Missing,
    id: number,
    told: Told,
    now: number,
  ) => Promise<BatchVerdict | undefined>;
  /** The fate of a job that should be listed and is not. */
  readonly ofUnlisted: (job: Missing, id: number, now: number) => Promise<BatchVerdict | undefined>;
};

type Sources = {
  readonly system: Pick<BatchSystem, 'title' | 'recall' | 'reached'>;
  readonly placeOf: (job: RunId) => JobDirectory;
  /** bounds how much the system is asked at the same time */
  readonly call: <Value>(work: () => Promise<Value>) => Promise<Value>;
};

/** A list may miss a job that was just submitted, or come from a controller that is starting. */
const MISSING_MS = 15_000;

/** See {@link Fates}. */
export function openFates({ system, placeOf, call }: Sources): Fates {
  const { title, recall } = system;
  /** How a job ended that is no longer listed, by the system's records. */
  const recalled = async (id: number, name: string): Promise<Told | undefined> => {
    if (recall === undefined) return undefined;
    // When the accounting does not answer, the job ends without it.
    const kept = await call(() => recall(id)).catch(() => undefined);
    if (kept?.name !== name || isUnended(kept.phase)) return undefined;
    const { phase, state, reason } = kept;
    return { kind: 'told', phase, state, reason };
  };
  return {
    ofListed: async (entry, id, told, now) => {
      const place = placeOf(entry.job);
      if (told.phase !== 'over' || recall === undefined || existsSync(place.stopped)) return told;
      const { began, exit } = await readNodeStatus(place);
      if (began === undefined || exit !== undefined) return told;
      // It began and its node does not tell how it ended, so the system may have killed it, and its
      // record, which may come late, tells why.
      entry.missing ??= now;
      return (
        (await recalled(id, entry.intent.request.name)) ??
        (now - entry.missing < MISSING_MS ? undefined : told)
      );
    },
    ofUnlisted: async (entry, id, now) => {
      entry.missing ??= now;
      const place = placeOf(entry.job);
      const { began, exit } = await readNodeStatus(place);
      const { name, minutes } = entry.intent.request;
      const kept = await recalled(id, name);
      if (kept !== undefined) return kept;
      // Its node ends it in time, and tells how, whatever this service's settings are now.
      const isWaitedFor =
        began !== undefined && !existsSync(place.stopped) && isElsewhere(entry.intent, system);
      const patience = MISSING_MS + (isWaitedFor ? minutes * 60_000 : 0);
      if (exit === undefined && now - entry.missing < patience) return undefined;
      return {
        kind: 'given-up',
        code: 'run-lost',
        message: `${title} no longer knows its job ${id}, and how the run ended is not known`,
      };
    },
  };
}
