import { dirname } from 'node:path';
import type { RulesState } from './state.ts';

/** How many a health check shows; the log has all. */
const MOST_SHOWN = 10;

/**
 * The problems of the rules, in words that everybody may read: the first ten, with paths relative
 * to the folder of the site file; empty if there are none.
 */
export function rulesTrouble({ kind, problems }: RulesState, siteFile: string): readonly string[] {
  if (kind === 'current') return [];
  const shown = problems
    .slice(0, MOST_SHOWN)
    .map((problem) => problem.replaceAll(`${dirname(siteFile)}/`, ''));
  const left = problems.length - shown.length;
  const first =
    kind === 'kept'
      ? 'the rules cannot be loaded; the last good ones are in force'
      : 'the last copies of rule files are used';
  return [first, ...shown, ...(left > 0 ? [`and ${left} more`] : [])];
}
