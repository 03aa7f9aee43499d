import { isDatabaseAway, type Database } from '../../db/client.ts';
import { warnWhenLate } from '../../db/late-warning.ts';
import type { AskId } from '../../words/ids.ts';
import type { PlacementVerdict } from '../guard.ts';
import { holdsStorage, type AnswerPlacement } from './answer-rows.ts';
import { placeAnswers } from './write-answers.ts';
import type { Outlook } from '../plan/outlook.ts';
import type { KeptTrace, Traces } from './traces.ts';

/** Writes answers. */
export type Placer = { readonly place: (placement: AnswerPlacement) => Promise<PlacementVerdict> };

/**
 * One transaction at a time: of two, the second would wait for the destinations of the first, and
 * both would be smaller. One that takes longer than this may wait for somebody else's lock, or on a
 * connection that is gone; others go on beside it.
 */
const LATE_MS = 100;
const MOST_AT_A_TIME = 2;
const MOST_IN_BATCH = 64;
const PLACED: PlacementVerdict = { kind: 'placed', expires: new Map() };

type Waiting = AnswerPlacement & {
  readonly done: (verdict: PlacementVerdict) => void;
  readonly failed: (error: unknown) => void;
};

/**
 * A placer that writes what comes while a transaction is under way in the next one, all
 * together: a lock, a commit and a round trip for a batch and not for each. An ask on an
 * idle planner waits for nobody.
 */
export function createPlacer(database: Database, outlook: Outlook, traces: Traces): Placer {
  const waiting: Waiting[] = [];
  /** those that write, one batch after the other each, and how many of them are late */
  let writers = 0;
  let late = 0;

  const write = async (batch: readonly Waiting[]): Promise<void> => {
    const used = new Map<AskId, KeptTrace>(
      batch.map(({ record }) => [record.id, traces.of(record.trace)]),
    );
    const rules = [...new Set(batch.flatMap(({ record }) => record.rules ?? []))].map(
      traces.ofRules,
    );
    // Without a reading there is no proposal that could be planned with a wrong clock.
    const placed = await placeAnswers(database, batch, outlook.now() ?? 0, used, rules);
    traces.written([...used.values(), ...rules]);
    outlook.learn(placed.outlook);
    for (const { record, done } of batch) done(placed.verdicts.get(record.id) ?? PLACED);
  };

  /**
   * A document that PostgreSQL cannot keep fails its batch: then each answer is written for itself.
   */
  const writeEach = async (batch: readonly Waiting[], why: unknown): Promise<void> => {
    for (const one of batch)
      await (isDatabaseAway(why) ? one.failed(why) : write([one]).catch(one.failed));
  };

  const writeNext = async (): Promise<void> => {
    const storing = waiting.slice(0, MOST_IN_BATCH).findIndex(holdsStorage);
    const batch = waiting.splice(0, storing === -1 ? MOST_IN_BATCH : Math.max(1, storing));
    const written = write(batch).catch((error: unknown) =>
      batch.length > 1 ? writeEach(batch, error) : batch[0]?.failed(error),
    );
    let isLate = false;
    await warnWhenLate(written, LATE_MS, () => {
      isLate = true;
      late += 1;
      pump();
    });
    if (isLate) late -= 1;
  };

  const isAlone = (): boolean => writers - late === 1;

  const writeAll = async (): Promise<void> => {
    writers += 1;
    while (waiting.length > 0 && isAlone()) await writeNext();
    writers -= 1;
  };

  const pump = (): void => {
    if (waiting.length > 0 && writers === late && writers < MOST_AT_A_TIME) void writeAll();
  };

  return {
    place: (placement) =>
      new Promise((done, failed) => {
        waiting.push({ ...placement, done, failed });
        pump();
      }),
  };
}
