import type { Request, Response } from 'express';
import type { Dialect, OfferUpdate, PrintableOffer } from '../../planner/dialect.ts';
import type { SessionState } from '../../planner/states.ts';
import { printableOffer } from '../../planner/told.ts';
import { reply } from '../body/reply.ts';
import { readSessionOf, WITHOUT_JOB } from './reading.ts';
import { hasPrecondition, replyVersion, requireVersion } from './versions.ts';

/** What is printed of the row of an offer, and how the document is sent. */
export type Showing = {
  readonly show: typeof readSessionOf;
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

const SESSION: Showing = { show: readSessionOf, send: replyVersion };
const OFFER: Showing = {
  show: async (_database, row, reader, shown) =>
    printableOffer({ ...row, state: shown ?? row.state }, reader),
  send: (request, response, document) => reply(request, response, 200, document),
};

/** Did an offer become already what the client wants? */
function isDone(state: SessionState, { to }: OfferUpdate): boolean {
  return to === 'ACCEPTED' ? !WITHOUT_JOB.has(state) : state === to;
}
