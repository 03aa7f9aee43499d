import type { Database } from '../../db/client.ts';
import type { Dialect } from '../../planner/dialect.ts';
import { findOffer } from '../../planner/record/ledger.ts';
import type { JobId } from '../../words/ids.ts';

/**
 * What the client asked for a job, so that it can be sent again: its own document, or of a record
 * of earlier versions, which has none, what was promised.
 */
export function openRequestOf(database: Database, dialects: readonly Dialect[]) {
  return async (id: JobId): Promise<unknown> => {
    const { ask } = await database.offer.findUniqueOrThrow({
      where: { id },
      select: { ask: { select: { document: true } } },
    });
    if (ask.document !== null) return ask.document;
    const offer = await findOffer(database, id, undefined);
    const print = dialects.find(({ printRequest }) => printRequest !== undefined)?.printRequest;
    return offer && print?.(offer.promise);
  };
}
