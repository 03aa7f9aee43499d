import { EXPLANATION } from '../words/explanation.ts';

/** One step of the rules as the service tells it: a word and its data. */
export type RuleStep = { readonly step: string } & Readonly<Record<string, unknown>>;

/** Steps in a row that belong together. */
export type Phase = { readonly title: string; readonly lines: readonly string[] };

type PhaseName = keyof typeof EXPLANATION.phases;

const PHASE_OF: Readonly<Record<string, PhaseName>> = {
  'tool-matched': 'matching',
  'role-matched': 'matching',
  'no-role': 'matching',
  'user-matched': 'matching',
  'user-unmatched': 'matching',
  'no-user': 'matching',
  combined: 'amounts',
  rule: 'amounts',
  resources: 'amounts',
  'destination-matched': 'destinations',
  'destination-refused': 'destinations',
  ranked: 'order',
  'pool-governs': 'pools',
  'pool-refused': 'pools',
  'no-pools': 'pools',
  'pools-admitted': 'pools',
  'pools-deferred': 'pools',
};

/** The steps of a decision in sentences, in their order; a step that is not known has its data. */
export function phasesOf(steps: readonly RuleStep[]): readonly Phase[] {
  const phases: { readonly title: string; readonly lines: string[] }[] = [];
  for (const step of steps) {
    const title = EXPLANATION.phases[PHASE_OF[step.step] ?? 'end'];
    const last = phases.at(-1);
    if (last?.title === title) last.lines.push(lineOf(step));
    else phases.push({ title, lines: [lineOf(step)] });
  }
  return phases;
}

function lineOf({ step, ...data }: RuleStep): string {
  const words = EXPLANATION.steps;
  const at = (key: string): string => textOf(data[key]);
  switch (step) {
    case 'tool-matched':
      return words.tool(at('tool'), at('entity'));
    case 'role-matched':
      return words.role(at('entity'));
    case 'no-role':
      return words.noRole;
    case 'user-matched':
      return words.user(at('user'), at('entity'));
    case 'user-unmatched':
      return words.noRules(at('user'));
    case 'no-user':
      return words.nobody;
    case 'combined':
      return words.combined(at('parts'), at('amounts'));
    case 'rule':
      return words.rule(at('rule'), at('condition'), data['matched'] !== null);
    case 'resources':
      return words.amounts(at('amounts'));
    case 'destination-matched':
      return words.fits(at('destination'));
    case 'destination-refused':
      return words.refused(at('destination'), at('clauses'));
    case 'ranked':
      return words.ranked(at('position'), at('destination'), at('score'));
    case 'evaluating':
      return words.evaluating(at('destination'));
    default:
      return `${step} ${textOf(data)}`.trim();
  }
}

/** A value in one line: `cores 2.0, mem 1.0`; what is not set is left out. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === 'None') return '';
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, inner]) => [key, textOf(inner)])
    .filter(([, text]) => text !== '')
    .map(([key, text]) => `${key} ${text}`)
    .join(', ');
}
