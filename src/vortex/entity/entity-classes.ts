import { PyClass } from '../../python/index.ts';

/** The base of all entities, and of those with rules. */
export const entityClass = named('Entity');
export const ruledClass = named('EntityWithRules', entityClass);

/** The Python classes of entities, for `isinstance` and the error texts of rules. */
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
