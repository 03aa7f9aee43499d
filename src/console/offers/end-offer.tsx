import { api, outcomeOf } from '../api.ts';
import { Confirm } from '../confirm.tsx';
import type { Documents } from '../contract.ts';
import { seenName } from '../lists/seen-name.ts';
import type { Trouble } from '../client.ts';
import { isOfOthers } from '../who.ts';
import { WORDS } from '../words.ts';
import { SITE } from '../words/site.ts';
import { kindTitle } from '../ask/kind-title.ts';

type Offer = Documents['Offer'];
export type EndOfferProps = {
  readonly offer: Offer;
  /** @param trouble why it did not work */
  readonly onEnd: (trouble: Trouble | undefined) => void;
};

/** Gives an open offer back or cancels its job; of somebody else's, it asks why. */
export function EndOffer({ offer, onEnd }: EndOfferProps) {
  const words = SITE.offers;
  const status = endOf(offer);
  if (status === undefined) return null;
  const { user } = offer.identity;
  const what = whatOf(offer);
  const send = async (why: string): Promise<boolean> => {
    const outcome = await outcomeOf(
      api.POST('/offers/{ident}', {
        params: { path: { ident: offer.ident } },
        body: { status, ...(why !== '' && { why }) },
      }),
    );
    onEnd(outcome.ok ? undefined : outcome.trouble);
    return outcome.ok;
  };
  return (
    <Confirm
      action={words.end[status]}
      label={words.endLabel(words.end[status], what)}
      question={words.endQuestion[status](what)}
      field={isOfOthers(user) ? words.why : undefined}
      onYes={send}
    />
  );
}

/** What can be done to an offer in this state; undefined: it is over. */
function endOf({ status }: Offer): 'REJECTED' | 'CANCELLED' | undefined {
  switch (status) {
    case 'OFFERED':
      return 'REJECTED';
    case 'ACCEPTED':
    case 'WAITING':
    case 'PREPARING':
    case 'AVAILABLE':
    case 'RUNNING':
    case 'RELEASING':
      return 'CANCELLED';
    case 'REJECTED':
    case 'EXPIRED':
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
      return undefined;
  }
}

function whatOf({ request: { name, task }, destination, identity }: Offer): string {
  return SITE.offers.whatOf(
    seenName(name) ?? kindTitle(task.type),
    destination,
    identity.user ?? WORDS.jobs.nobody,
  );
}
