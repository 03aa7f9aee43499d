import type { RulesSummary } from '../vortex/index.ts';
import type { Site } from './site.ts';

/** What the site file and the rule files say about each other that an operator should know. */
export type Disagreement = { readonly severity: 'error' | 'warning'; readonly message: string };

/**
 * Holds the site file against the loaded rules: a destination that only the site file names can never be chosen, one that
 * only the rules name has no capacity to offer.
 */
export const compareWithRules = (site: Site, rules: RulesSummary): readonly Disagreement[] => {
  const inRules = new Map(rules.destinations.map((destination) => [destination.id, destination]));
  const onlyInSite = [...site.destinations.keys()].filter((id) => !inRules.has(id)).map((id): Disagreement => ({
    severity: 'error', message: `destination '${id}' of the site file is in no rule file; the rule files have ${[...inRules.keys()].join(', ')}`,
  }));
  const abstract = [...site.destinations.keys()].filter((id) => inRules.get(id)?.abstract === true).map((id): Disagreement => ({
    severity: 'error', message: `destination '${id}' of the site file is abstract in the rule files and can never be chosen`,
  }));
  const onlyInRules = rules.destinations.filter(({ id, abstract: template }) => !template && !site.destinations.has(id)).map(({ id }): Disagreement => ({
    severity: 'warning', message: `destination '${id}' of the rule files has no capacity in the site file; it is never offered`,
  }));
  return [...onlyInSite, ...abstract, ...onlyInRules];
};
