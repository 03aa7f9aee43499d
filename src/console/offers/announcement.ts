import { WORDS } from '../words.ts';

/** What is said of held offers, and since which of the steps of their time. */
export type Said = { readonly step: number; readonly text: string };

/** Seconds that are left at the steps where something is said. */
const STEPS = [0, 15, 60];

/**
 * What is said of offers with this number of seconds left: how long they are held, at each step
 * once, with the seconds at that moment. Offers may begin between two steps.
 */
export function saidAfter(said: Said | undefined, seconds: number): Said {
  const step = STEPS.find((each) => seconds <= each) ?? Infinity;
  return said?.step === step ? said : { step, text: textAt(step, seconds) };
}

function textAt(step: number, seconds: number): string {
  if (step === 0) return WORDS.offers.ended;
  return step === Infinity ? '' : WORDS.offers.left(Math.ceil(seconds));
}
