import type { Database } from '../../db/client.ts';
import { together } from '../../db/together.ts';
import type { TakeTurn } from '../../peers/channel.ts';
import type { AskId } from '../../words/ids.ts';
import type { PlacementVerdict } from '../guard.ts';
import { holdsStorage, type AnswerPlacement } from './answer-rows.ts';
import { placeAnswers } from './write-answers.ts';
import type { Outlook } from '../plan/outlook.ts';
import type { KeptTrace, Traces } from './traces.ts';

/** Writes answers in the book. */
export type Placer = { readonly place: (placement: AnswerPlacement) => Promise<PlacementVerdict> };

const PLACED: PlacementVerdict = { kind: 'placed', expires: new Map() };

/** Writes answers that arrive at the same time together. */
export function createPlacer(
  database: Database,
  outlook: Outlook,
  traces: Traces,
  takeTurn?: TakeTurn,
): Placer {
  const write = async (batch: readonly AnswerPlacement[]): Promise<readonly PlacementVerdict[]> => {
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
    return batch.map(({ record }) => placed.verdicts.get(record.id) ?? PLACED);
  };
  return { place: together(write, holdsStorage, takeTurn) };
}
