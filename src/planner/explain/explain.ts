import type { Clause } from '../../vortex/index.ts';
import { clauseText, verdictText } from '../../vortex/explain/why-not.ts';
import type { RulesDecider } from '../considering.ts';
import type { KeptAsk } from '../record/kept-ask.ts';
import { isSameJson } from './same-json.ts';

/**
 * Do the rules decide the same again?
 * - `same`: the same rule files take the same steps.
 * - `different`: the same rule files take other steps: a defect, or they depend on something
 *   outside that was not kept.
 * - `rules-changed`: other rule files are in force, so nothing was replayed.
 * - `not-decided`: the ask was not understood, so the rules were not asked.
 * - `failed`: the rules cannot be evaluated now.
 */
export type Replay = 'same' | 'different' | 'rules-changed' | 'not-decided' | 'failed';

/** What the steps of a decision say about one destination. */
export type Judgement = {
  readonly destination: string;
  readonly verdict: 'matched' | 'refused' | 'stopped';
  /** rank in the rules' order of preference, from 1; undefined: it did not match */
  readonly rank: number | undefined;
  readonly score: number | undefined;
  readonly reasons: readonly string[];
};

/** Repeats a kept decision in its circumstances, if its rules are in force. Writes nothing. */
export async function replay(
  sandbox: RulesDecider,
  { inputs, trace, rulesDigest }: KeptAsk,
): Promise<Replay> {
  if (inputs === null) return 'not-decided';
  if (sandbox.stats().digest !== rulesDigest) return 'rules-changed';
  const considered = await sandbox.weigh(inputs.job, inputs.circumstances);
  if (considered.kind === 'sandbox') return 'failed';
  return isSameJson(considered.rules.admissions.told(considered.trace), trace)
    ? 'same'
    : 'different';
}

/** Every destination in the steps; first those that matched, in the order of preference. */
export function judgementsOf(trace: KeptAsk['trace']): readonly Judgement[] {
  const found = new Map<string, Judgement>();
  const note = (destination: string, more: Partial<Judgement>): void => {
    const before = found.get(destination) ?? {
      destination,
      verdict: 'matched',
      rank: undefined,
      score: undefined,
      reasons: [],
    };
    found.set(destination, { ...before, ...more });
  };
  for (const step of trace) {
    if (step.step === 'destination-matched') note(step.destination, {});
    else if (step.step === 'destination-refused' && !step.clauses.some(isTemplate))
      note(step.destination, { verdict: 'refused', reasons: step.clauses.map(clauseText) });
    else if (step.step === 'ranked')
      note(step.destination, { rank: step.position, score: step.score });
    else if (step.step === 'destination-stopped')
      note(step.destination, { verdict: 'stopped', reasons: [verdictText(step.verdict)] });
  }
  return [...found.values()].toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity));
}

/** Abstract destinations are templates. */
function isTemplate({ code }: Clause): boolean {
  return code === 'destination-abstract';
}
