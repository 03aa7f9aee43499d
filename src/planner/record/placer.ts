import { isDatabaseAway, type Database } from '../../db/client.ts';
import { warnWhenLate } from '../../db/late-warning.ts';
import type { AskId } from '../../words/ids.ts';
import type { PlacementVerdict } from '../guard.ts';
import { holdsStorage, type AnswerPlacement } from './answer-rows.ts';
import { placeAnswers } from './write-answers.ts';
import type { Outlook } from '../plan/outlook.ts';
import type { KeptTrace, Traces } from './traces.ts';

/** Writes answers in the book. */
export type Placer = { readonly place: (placement: AnswerPlacement) => Promise<PlacementVerdict> };

/**
 * One transaction runs at a time: a second one would wait for the destinations of the first, and
 * both would be smaller. A transaction that takes longer than this may wait for another lock or a
 * lost connection, so a second one starts beside it.
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
 * Writes the answers that arrive during one transaction together in the next: a batch shares the
 * lock, the commit and the round trip. On an idle planner an answer does not wait.
 */
export function createPlacer(database: Database, outlook: Outlook, traces: Traces): Placer {
  const waiting: Waiting[] = [];
  /** how many loops write batches, and how many of them are late */
  let writers = 0;
  let late = 0;

  const write = async (batch: readonly Waiting[]): Promise<void> => {
    const used = new Map<AskId, KeptTrace>(
      batch.map(({ record }) => [record.id, traces.of(record.trace)]),
    );
    const rules = [...new Set(batch.flatMap(({ record }) => record.rules ?? []))].map(
      traces.ofRules,
    );
    // Before the first reading there are no proposals, so 0 harms nobody.
    const placed = await placeAnswers(database, batch, outlook.now() ?? 0, used, rules);
    traces.written([...used.values(), ...rules]);
    outlook.learn(placed.outlook);
    for (const { record, done } of batch) done(placed.verdicts.get(record.id) ?? PLACED);
  };

  /** A document that PostgreSQL cannot store fails its batch; then each answer is written alone. */
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
