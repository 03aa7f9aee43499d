import type { Database } from '../../src/db/client.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import type { Ask } from '../../src/planner/ask.ts';
import { converse } from '../../src/planner/conversation.ts';
import type { Asking, ToldAnswer } from '../../src/planner/dialect.ts';
import type { Planner } from '../../src/planner/planner.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { PLAINLY, siteOf } from './asks.ts';

/** The answer to an ask without a dialect, for an anonymous client. */
export function answerTo(planner: Planner, database: Database, ask: Ask): Promise<ToldAnswer> {
  const vocabulary = vocabularyOf(builtInKnown, siteOf({ a: {} }));
  const asking: Asking = {
    ...PLAINLY,
    document: null,
    name: undefined,
    read: () => ({ ok: true, ask }),
    revise: () => asking,
    printAnswer: () => ({ status: 200, headers: {}, document: {} }),
  };
  return converse(
    {
      planner,
      database,
      vocabulary: () => vocabulary,
      spendRate: () => undefined,
      requireRoom: async () => undefined,
    },
    {
      principal: { kind: 'anonymous' },
      client: 'somebody',
      open: async () => asking,
      key: () => undefined,
      isDryRun: false,
      wantsNearest: false,
      tell: async (answer) => answer,
    },
  );
}
