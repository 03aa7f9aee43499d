import type { RulesSummary } from '../vortex/index.ts';
import type { FileProblem } from '../yaml/index.ts';
import { printProblem } from '../site/load.ts';

/** The rules in force. */
export type InForce = {
  readonly rules: RulesSummary;
  /** milliseconds since 1970 */ readonly since: number;
};

/**
 * How the rules are.
 * - `current`: those in force are those of the files.
 * - `stale`: the same, but a host could not be asked, and its last good copy is used.
 * - `kept`: the files cannot be used; the last good rules are in force.
 */
export type RulesState = {
  readonly kind: 'current' | 'stale' | 'kept';
  readonly inForce: InForce;
  /** what is wrong, for people; empty when nothing is */
  readonly problems: readonly string[];
};

/** How often rules were loaded anew, or could not be, since the start. */
export type ReloadCounts = { readonly loaded: number; readonly refused: number };

export function currentRules(inForce: InForce, troubles: readonly FileProblem[]): RulesState {
  return {
    kind: troubles.length === 0 ? 'current' : 'stale',
    inForce,
    problems: troubles.map(printProblem),
  };
}

export function keptRules(inForce: InForce, problems: readonly string[]): RulesState {
  return { kind: 'kept', inForce, problems };
}
