import type { TraceStep } from '../../vortex/index.ts';
import type { KeptAsk } from '../record/kept-ask.ts';
import { reasonsOf } from '../record/kept-reasons.ts';

/** The steps of a decision, then what the book said of its resource pools, which rules cannot know. */
export function withPoolOutcome(
  { result, reasons }: Pick<KeptAsk, 'result' | 'reasons'>,
  steps: readonly TraceStep[],
): readonly TraceStep[] {
  const pools = steps.flatMap((step) => (step.step === 'pool-governs' ? [step.pool] : []));
  if (pools.length === 0) return steps;
  if (result === 'YES') return [...steps, { step: 'pools-admitted', pools }];
  const isFull = reasonsOf(reasons).reasons.some(({ code }) => code === 'pool-full');
  return isFull ? [...steps, { step: 'pools-deferred', pools }] : steps;
}
