import type { Database } from '../../db/client.ts';
import { printOffer } from '../../dialects/seed/print.ts';
import { findOffer } from '../../planner/record/ledger.ts';
import type { JobId } from '../../words/ids.ts';
import { printable } from './answers.ts';

/**
 * What the client asked for a job, so that it can be sent again: its own document, or of a record of earlier versions, which has
 * none, what was promised.
 */
export const openRequestOf = (database: Database) => async (id: JobId): Promise<unknown> => {
  const { ask } = await database.offer.findUniqueOrThrow({ where: { id }, select: { ask: { select: { document: true } } } });
  if (ask.document !== null) return ask.document;
  const offer = await findOffer(database, id, undefined);
  return offer && printOffer(printable(offer), '').request;
};
