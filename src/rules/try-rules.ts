import { digestOf } from '../sandbox/open.ts';
import { compareWithRules } from '../site/agree.ts';
import { printProblem } from '../site/load.ts';
import type { Site } from '../site/site.ts';
import type { FileProblem, RuleSource } from '../vortex/index.ts';
import type { SwappableRules, RulesTrial } from './hot-swap.ts';

type Ready = Extract<RulesTrial, { kind: 'ready' }>;

/**
 * The result of trying rules.
 * - `ready`: they load and the site agrees; `adopt` puts them in force. `doubts` are warnings of
 * the loader, `warnings` small contradictions with the site file.
 * - `refused`: they cannot be used; another attempt would fail, too.
 * - `failed`: the sandbox failed; another attempt may succeed.
 */
export type RulesVerdict =
  | (Pick<Ready, 'kind' | 'rules' | 'milliseconds' | 'adopt'> & {
      readonly digest: string;
      readonly doubts: readonly string[];
      readonly warnings: readonly string[];
    })
  | { readonly kind: 'refused'; readonly digest: string; readonly problems: readonly FileProblem[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Loads rules in another sandbox and checks them against the site file. */
export async function tryRules(
  swappable: SwappableRules,
  site: Site,
  sources: readonly RuleSource[],
): Promise<RulesVerdict> {
  const digest = digestOf(sources);
  const trial = await swappable.tryOut(sources);
  if (trial.kind === 'refused') return { ...trial, digest };
  if (trial.kind === 'failed') {
    const { code, message } = trial.failure;
    const remedy =
      code === 'rule-memory'
        ? ' (sandbox.memory-mb of the site file says how much they may take)'
        : '';
    return { kind: 'failed', message: `the rules could not be loaded: ${message}${remedy}` };
  }
  const found = compareWithRules(site, trial.rules);
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    await trial.discard();
    return {
      kind: 'refused',
      digest,
      problems: errors.map(({ message }) => ({ file: 'site file', line: 1, column: 1, message })),
    };
  }
  const { rules, milliseconds, adopt } = trial;
  const doubts = trial.warnings.map(printProblem);
  return {
    kind: 'ready',
    digest,
    rules,
    milliseconds,
    adopt,
    doubts,
    warnings: found.map(({ message }) => message),
  };
}

/** The problems, for people. */
export function wrongWith(tried: Exclude<RulesVerdict, { kind: 'ready' }>): readonly string[] {
  return tried.kind === 'refused' ? tried.problems.map(printProblem) : [tried.message];
}
