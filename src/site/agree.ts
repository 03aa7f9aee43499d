import type { RulesSummary } from '../vortex/index.ts';
import { suggestion } from '../yaml/suggest.ts';
import type { Site } from './site.ts';

/** A contradiction between the site file and the rule files that an operator should know. */
type Disagreement = {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** that of the site file which it is about */
  readonly destination?: string;
};

/**
 * The `class` of `global.resource_pool_store` in a rule file that means the planner's own database.
 */
const OUR_STORE = 'execution-planner';

/** The database has an index on the names, whose entries have a maximum size. */
const LONGEST_NAME = 200;

/**
 * Compares the site file with the loaded rules: a destination only in the site file can never be
 * chosen, one only in the rules has no capacity to offer.
 */
export function compareWithRules(site: Site, rules: RulesSummary): readonly Disagreement[] {
  const inRules = new Map(rules.destinations.map((destination) => [destination.id, destination]));
  const onlyInSite = [...site.destinations.keys()]
    .filter((id) => !inRules.has(id))
    .map((id): Disagreement => ({
      severity: 'error',
      destination: id,
      message:
        `destination '${id}' of the site file is in no rule file; the rule files have ` +
        `${[...inRules.keys()].join(', ')}${guess(id, [...inRules.keys()])}`,
    }));
  const abstract = [...site.destinations.keys()]
    .filter((id) => inRules.get(id)?.abstract === true)
    .map((id): Disagreement => ({
      severity: 'error',
      destination: id,
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

function guess(id: string, known: readonly string[]): string {
  const question = suggestion(id, known);
  return question === undefined ? '' : ` (${question})`;
}

/** Two stores would each allow the whole limit. */
function otherStore({ pools, poolStore }: RulesSummary): readonly Disagreement[] {
  if (pools.length === 0 || poolStore === null || poolStore.class === OUR_STORE) return [];
  const { file, line, class: name } = poolStore;
  return [
    {
      severity: 'error',
      message:
        `${file}:${line}: the store of resource pools is ${name}, one of Galaxy's; ` +
        'the planner keeps what pools hold in its own database, shared by all planners: ' +
        `write "class: ${OUR_STORE}" there, without url and other options`,
    },
  ];
}

/** Names of pools that the database cannot store: every ask with such a pool would fail. */
function unkept({ pools }: RulesSummary): readonly Disagreement[] {
  return pools.flatMap((name): readonly Disagreement[] => {
    const shown = JSON.stringify(name.slice(0, 40)).slice(1, -1) + (name.length > 40 ? '…' : '');
    const message = (why: string): Disagreement => ({
      severity: 'error',
      message: `the name of the resource pool '${shown}' ${why}`,
    });
    if (name.length > LONGEST_NAME)
      return [message(`has ${name.length} characters; ${LONGEST_NAME} are allowed`)];
    return name.includes('\0') || !name.isWellFormed()
      ? [message('must be valid Unicode without NUL')]
      : [];
  });
}
