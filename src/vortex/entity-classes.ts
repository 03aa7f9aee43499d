import { PyClass } from '../python/index.ts';

const named = (name: string): PyClass => new PyClass(name, [], { module: 'tpv.core.entities' });

/** The Python classes of entities and tags, as `isinstance` and error texts of rules know them. */
export const entityClasses = {
  rule: named('Rule'),
  tool: named('Tool'),
  role: named('Role'),
  user: named('User'),
  destination: named('Destination'),
} as const;
