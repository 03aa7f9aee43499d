import {
  parseAskId,
  parseOfferId,
  type AskId,
  type NonEmpty,
  type OfferId,
} from '../../words/ids.ts';
import { newUuid } from '../../words/uuid.ts';
import type { Proposal } from '../offer.ts';

/** A proposal with the id under which it becomes an offer. */
export type NumberedProposal = Proposal & { readonly id: OfferId };

export function newAskId(): AskId {
  return parseAskId(newUuid()) ?? failed();
}

export function withOfferIds([first, ...rest]: NonEmpty<Proposal>): NonEmpty<NumberedProposal> {
  const numbered = (proposal: Proposal): NumberedProposal => ({
    ...proposal,
    id: parseOfferId(newUuid()) ?? failed(),
  });
  return [numbered(first), ...rest.map(numbered)];
}

function failed(): never {
  throw new Error('the uuid library returned something that is not a UUID');
}
