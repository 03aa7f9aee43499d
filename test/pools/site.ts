import { processDestination } from '../harness/site.ts';

/** A destination that is larger than any pool of these tests. */
export const LARGE = processDestination({ cores: 400, memory: '800GiB', scratch: '8000GiB' });

/** Terms of offers, as tests of pools have them. @param most the most offers of an answer */
export function offerTerms(most: number): object {
  return {
    lifetime: 'PT10M',
    duration: 'PT1H',
    'start-window': 'PT10M',
    release: 'PT30S',
    'max-offers': most,
  };
}
