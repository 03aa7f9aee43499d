import type { RulesSummary } from '../vortex/index.ts';
import type { FileProblem } from '../yaml/index.ts';
import { printProblem } from '../site/load.ts';

/** The rules in force. */
export type InForce = {
  readonly rules: RulesSummary;
  /** milliseconds since 1970 */ readonly since: number;
};

/**
 * The state of the rules.
 * - `current`: the rules in force are those of the files.
 * - `stale`: the same, but a host did not answer, and its last good copy is used.
 * - `kept`: the files cannot be used; the last good rules are in force.
 */
export type RulesState = {
  readonly kind: 'current' | 'stale' | 'kept';
  readonly inForce: InForce;
  /** problems, for people; empty if there are none */
  readonly problems: readonly string[];
};

/** How often rules were reloaded or refused since the start. */
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
