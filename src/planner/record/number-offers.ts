import {
  parseAskId,
  parseOfferId,
  type AskId,
  type NonEmpty,
  type OfferId,
} from '../../words/ids.ts';
import { newUuid } from '../../words/uuid.ts';
import type { NumberedProposal } from './ledger.ts';
import type { Proposal } from '../offer.ts';

export function newAskId(): AskId {
  return parseAskId(newUuid()) ?? failed();
}

/** Proposals with the ids under which they become offers. */
export function withOfferIds([first, ...rest]: NonEmpty<Proposal>): NonEmpty<NumberedProposal> {
  return [
    { ...first, id: newOfferId() },
    ...rest.map((proposal) => ({ ...proposal, id: newOfferId() })),
  ];
}

function failed(): never {
  throw new Error('the uuid library returned something that is not a UUID');
}

function newOfferId(): OfferId {
  return parseOfferId(newUuid()) ?? failed();
}
