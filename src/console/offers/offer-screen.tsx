import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import { Page } from '../page.tsx';
import type { Trouble } from '../client.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { heldOffer, updateTrouble, type HeldOffer } from '../ask/conversation.ts';
import { OfferCard } from './offers.tsx';

/** One offer, for those who follow a link to it. */
export function OfferScreen({ ident }: { readonly ident: string }) {
  const held = useSignal<HeldOffer | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const read = async (): Promise<void> => {
    const outcome = await outcomeOf(api.GET('/offers/{ident}', { params: { path: { ident } } }));
    trouble.value = outcome.ok ? undefined : outcome.trouble;
    if (outcome.ok) held.value = heldOffer(outcome.data.offer);
  };
  // After a refused acceptance the offer has another state.
  useEffect(() => void read(), [ident, updateTrouble.value]);
  const problem = trouble.value ?? updateTrouble.value;
  return (
    <Page title={WORDS.offers.one}>
      {problem !== undefined && <TroubleBox trouble={problem} again={() => void read()} />}
      {held.value !== undefined && (
        <ul class="plain">
          <OfferCard held={held.value} heading="h2" onEnd={() => void read()} />
        </ul>
      )}
      <p>
        <a href={`#/offers/${ident}/explain`}>{WORDS.offers.how}</a>
      </p>
    </Page>
  );
}
