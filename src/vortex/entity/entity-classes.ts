import { PyClass } from '../../python/index.ts';

/** What all entities are, and those that have rules. */
export const entityClass = named('Entity');
export const ruledClass = named('EntityWithRules', entityClass);

/** The Python classes of entities and tags, as `isinstance` and error texts of rules know them. */
export const entityClasses = {
  rule: named('Rule', entityClass),
  tool: named('Tool', ruledClass),
  role: named('Role', ruledClass),
  user: named('User', ruledClass),
  destination: named('Destination', ruledClass),
  pool: named('PoolEntity', ruledClass),
} as const;

function named(name: string, base?: PyClass): PyClass {
  return new PyClass(name, base === undefined ? [] : [base], { module: 'tpv.core.entities' });
}
