import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import { isPassing } from '../client.ts';
import type { Documents } from '../contract.ts';

/** After a refusal of a busy service, or no answer. */
const AGAIN_MS = 5000;

/**
 * Reads the offer of a job, again in each of its phases: what it runs and what it gets. Undefined
 * until it is there.
 *
 * @param job undefined: it is not there yet
 */
export function useOffer(
  ident: string,
  job: Pick<Documents['UwsJob'], 'phase'> | undefined,
): Documents['Offer'] | undefined {
  const offer = useSignal<Documents['Offer'] | undefined>(undefined);
  const tries = useSignal(0);
  const phase = job?.phase;
  useEffect(() => {
    if (phase === undefined) return undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void outcomeOf(api.GET('/offers/{ident}', { params: { path: { ident } } })).then((outcome) => {
      if (isOver) return;
      if (outcome.ok) offer.value = outcome.data.offer;
      else if (isPassing(outcome.trouble)) timer = setTimeout(() => (tries.value += 1), AGAIN_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [ident, phase, tries.value]);
  return offer.value?.ident === ident ? offer.value : undefined;
}
