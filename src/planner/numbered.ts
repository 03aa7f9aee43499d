import { v7 } from 'uuid';
import { parseAskId, parseOfferId, type AskId, type NonEmpty, type OfferId } from '../words/ids.ts';
import type { NumberedProposal } from './ledger.ts';
import type { Proposal } from './offer.ts';

const failed = (): never => {
  throw new Error('the uuid library returned something that is not a UUID');
};

const RANDOM_BYTES = 16;
const random = new Uint8Array(128 * RANDOM_BYTES);
let used = random.length;

/** An answer has five of them, and to ask for random bytes costs more than the rest of one: they are fetched for many at a time. */
const uuid = (): string => {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  used += RANDOM_BYTES;
  return v7({ random: random.subarray(used - RANDOM_BYTES, used) });
};

export const newAskId = (): AskId => parseAskId(uuid()) ?? failed();
const newOfferId = (): OfferId => parseOfferId(uuid()) ?? failed();

/** Proposals with the ids under which they become offers. */
export const numbered = ([first, ...rest]: NonEmpty<Proposal>): NonEmpty<NumberedProposal> => [
  { ...first, id: newOfferId() },
  ...rest.map((proposal) => ({ ...proposal, id: newOfferId() })),
];
