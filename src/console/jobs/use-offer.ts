import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import type { Documents } from '../contract.ts';

/** Reads the offer of a job: what it runs and what it gets. Undefined until it is there. */
export function useOffer(ident: string): Documents['Offer'] | undefined {
  const offer = useSignal<Documents['Offer'] | undefined>(undefined);
  useEffect(() => {
    void outcomeOf(api.GET('/offers/{ident}', { params: { path: { ident } } })).then((outcome) => {
      offer.value = outcome.ok ? outcome.data.offer : undefined;
    });
  }, [ident]);
  return offer.value?.ident === ident ? offer.value : undefined;
}
