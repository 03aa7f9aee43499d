import { parseAskId, parseOfferId, type AskId, type NonEmpty, type OfferId } from '../../words/ids.ts';
import { newUuid } from '../../words/uuid.ts';
import type { NumberedProposal } from './ledger.ts';
import type { Proposal } from '../offer.ts';

const failed = (): never => {
  throw new Error('the uuid library returned something that is not a UUID');
};

export const newAskId = (): AskId => parseAskId(newUuid()) ?? failed();
const newOfferId = (): OfferId => parseOfferId(newUuid()) ?? failed();

/** Proposals with the ids under which they become offers. */
export const withOfferIds = ([first, ...rest]: NonEmpty<Proposal>): NonEmpty<NumberedProposal> => [
  { ...first, id: newOfferId() },
  ...rest.map((proposal) => ({ ...proposal, id: newOfferId() })),
];
