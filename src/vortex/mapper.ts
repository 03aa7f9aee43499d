import { defineClass, PyDict } from '../python/index.ts';
import type { PyObject, Value } from '../python/index.ts';
import type { Entity } from './entity.ts';
import type { Rules } from './load.ts';
import { copyValue } from './values.ts';

/** What rules see as `mapper`: the merged destinations, without default inheritance (1.20). */
const mappers = defineClass<Rules>({
  name: 'EntityToDestinationMapper',
  module: 'tpv.core.mapper',
  attributes: {
    destinations: { get: ({ plainDestinations }) => copied(plainDestinations) },
    default_inherits: { get: ({ defaultInherits }) => defaultInherits },
    global_context: { get: ({ context }) => copyValue(context) },
  },
});

export function mapperOf(rules: Rules): PyObject {
  return mappers.wrap(rules);
}

/** Copies, since a rule may change what it gets. */
function copied(entities: ReadonlyMap<string, Entity>): PyDict {
  return new PyDict([...entities].map(([id, entity]): [Value, Value] => [id, entity.deepCopy()]));
}
