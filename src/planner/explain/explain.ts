import type { Clause, Verdict } from '../../vortex/index.ts';
import { clauseText, verdictText } from '../../vortex/explain/why-not.ts';
import type { RulesDecider } from '../considering.ts';
import type { KeptAsk } from '../record/kept-ask.ts';
import { isSameJson } from './same-json.ts';

/**
 * Whether the rules decide the same again.
 * - `same`: the rule files in force are those of then, and they took the same steps.
 * - `different`: they are, and did not; a defect, or what they ask of
 *   the world outside was not kept.
 * - `rules-changed`: other rule files are in force, so nothing was replayed.
 * - `not-decided`: the ask was not understood, and the rules were not asked.
 * - `failed`: the rules could not be evaluated now.
 */
export type Replay = 'same' | 'different' | 'rules-changed' | 'not-decided' | 'failed';

/** What the steps of a decision say of one destination. */
export type Judgement = {
  readonly destination: string;
  readonly verdict: 'matched' | 'refused' | 'stopped';
  /** place in the rules' order of preference, the best is 1; undefined when it did not match */
  readonly rank: number | undefined;
  readonly score: number | undefined;
  readonly reasons: readonly string[];
};

/**
 * Makes a kept decision again, in the circumstances of then, if its rules are in
 * force. Nothing is held or written.
 */
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

/**
 * Every destination that the steps speak of, those that matched first
 * and in the order of preference.
 */
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
      note(step.destination, { verdict: 'stopped', reasons: stoppedBy(step.verdict) });
  }
  return [...found.values()].toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity));
}

/** Templates of the rule files are no destinations. */
function isTemplate({ code }: Clause): boolean {
  return code === 'destination-abstract';
}

function stoppedBy(verdict: Verdict): readonly string[] {
  return [verdictText(verdict)];
}
