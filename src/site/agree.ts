import type { RulesSummary } from '../vortex/index.ts';
import type { Site } from './site.ts';

/** What the site file and the rule files say about each other that an operator should know. */
export type Disagreement = { readonly severity: 'error' | 'warning'; readonly message: string };

/**
 * What a rule file writes as the `class` of `global.resource_pool_store`: what pools hold
 * is in the book of the planner.
 */
export const OUR_STORE = 'execution-planner';

/** What is held is kept under the name, in an index whose entries have an end. */
const LONGEST_NAME = 200;

/**
 * Holds the site file against the loaded rules: a destination that only the site file names can
 * never be chosen, one that only the rules name has no capacity to offer.
 */
export function compareWithRules(site: Site, rules: RulesSummary): readonly Disagreement[] {
  const inRules = new Map(rules.destinations.map((destination) => [destination.id, destination]));
  const onlyInSite = [...site.destinations.keys()]
    .filter((id) => !inRules.has(id))
    .map((id): Disagreement => ({
      severity: 'error',
      message:
        `destination '${id}' of the site file is in no rule file; the rule files have ` +
        `${[...inRules.keys()].join(', ')}`,
    }));
  const abstract = [...site.destinations.keys()]
    .filter((id) => inRules.get(id)?.abstract === true)
    .map((id): Disagreement => ({
      severity: 'error',
      message: `destination '${id}' of the site file is abstract in the rule files and can never be chosen`,
    }));
  const onlyInRules = rules.destinations
    .filter(({ id, abstract: template }) => !template && !site.destinations.has(id))
    .map(({ id }): Disagreement => ({
      severity: 'warning',
      message: `destination '${id}' of the rule files has no capacity in the site file; it is never offered`,
    }));
  return [...otherStore(rules), ...unkept(rules), ...onlyInSite, ...abstract, ...onlyInRules];
}

/** Two that count would each let as much pass. */
function otherStore({ pools, poolStore }: RulesSummary): readonly Disagreement[] {
  if (pools.length === 0 || poolStore === null || poolStore.class === OUR_STORE) return [];
  const { file, line, class: name } = poolStore;
  return [
    {
      severity: 'error',
      message:
        `${file}:${line}: the store of resource pools is ${name}, which is one of Galaxy's; ` +
        'the planner keeps what pools hold in its own database, shared by all planners: ' +
        `write "class: ${OUR_STORE}" there, without url and other options`,
    },
  ];
}

/** Each would make a failure of every ask that the pool is for. */
function unkept({ pools }: RulesSummary): readonly Disagreement[] {
  return pools.flatMap((name): readonly Disagreement[] => {
    const shown = JSON.stringify(name.slice(0, 40)).slice(1, -1) + (name.length > 40 ? '…' : '');
    const message = (why: string): Disagreement => ({
      severity: 'error',
      message: `the name of the resource pool '${shown}' ${why}`,
    });
    if (name.length > LONGEST_NAME)
      return [
        message(
          `has ${name.length} characters; ${LONGEST_NAME} are the most that the database keeps it by`,
        ),
      ];
    return name.includes('\0') || !name.isWellFormed()
      ? [message('is none that the database can keep: no text of Unicode without NUL')]
      : [];
  });
}
