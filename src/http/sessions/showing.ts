import type { Request, Response } from 'express';
import type { Dialect, OfferUpdate, PrintableOffer } from '../../planner/dialect.ts';
import type { SessionState } from '../../planner/states.ts';
import { printableOffer } from '../../planner/told.ts';
import { showOffer } from '../asks/offer-updates.ts';
import { reply } from '../body/reply.ts';
import { readSession, WITHOUT_JOB } from './reading.ts';
import { hasPrecondition, replyVersion, requireVersion } from './versions.ts';

/** How an offer is read, and how its document is sent. */
export type Showing = {
  readonly read: typeof readSession;
  readonly send: (request: Request, response: Response, document: object) => void;
};

export function showingOf({ sessions }: Dialect): Showing {
  return sessions === undefined ? OFFER : SESSION;
}

/**
 * The only state in which the client wants to update a session; undefined: any.
 *
 * @throws Problem `precondition-failed` (412) if the session is another version already
 */
export async function stateSeen(
  request: Request,
  wanted: OfferUpdate,
  session: {
    readonly now: () => Promise<PrintableOffer>;
    readonly print: (offer: PrintableOffer) => object;
  },
): Promise<SessionState | undefined> {
  if (!hasPrecondition(request)) return undefined;
  const offer = await session.now();
  // An update that came before may come again, with the version from before it.
  if (!isDone(offer.state, wanted)) requireVersion(request, session.print(offer));
  return offer.state;
}

const SESSION: Showing = { read: readSession, send: replyVersion };
const OFFER: Showing = {
  read: async (database, id, reader, shown) => {
    const row = await showOffer(database, id, reader);
    return printableOffer({ ...row, state: shown ?? row.state }, reader);
  },
  send: (request, response, document) => reply(request, response, 200, document),
};

/** Did an offer become already what the client wants? */
function isDone(state: SessionState, { to }: OfferUpdate): boolean {
  return to === 'ACCEPTED' ? !WITHOUT_JOB.has(state) : state === to;
}
