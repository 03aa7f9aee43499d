import { defineClass, PyDict } from '../python/index.ts';
import type { PyObject } from '../python/index.ts';
import type { Entity } from './entity.ts';
import type { Rules } from './load.ts';
import { copyValue } from './values.ts';

/** What a rule gets: the loaded rules, and destinations that it may change, listed when it asks. */
type Mapper = { readonly rules: Rules; destinations: PyDict | undefined };

/** What rules see as `mapper`: the merged destinations, without default inheritance (1.20). */
const mappers = defineClass<Mapper>({
  name: 'EntityToDestinationMapper',
  module: 'tpv.core.mapper',
  attributes: {
    destinations: { get: (mapper) => (mapper.destinations ??= copied(mapper.rules)) },
    default_inherits: { get: ({ rules }) => rules.defaultInherits },
    global_context: { get: ({ rules }) => copyValue(rules.context) },
  },
});

export function mapperOf(rules: Rules): PyObject {
  return mappers.wrap({ rules, destinations: undefined });
}

/** Copies of all destinations; most rules only look at them, and the next mapping gets the same ones. */
class Copies {
  readonly pairs: readonly (readonly [string, Entity])[];
  isChanged = false;

  constructor(entities: ReadonlyMap<string, Entity>) {
    this.pairs = [...entities].map(([id, entity]) => {
      const copy = entity.deepCopy();
      copy.onChange = () => {
        this.isChanged = true;
      };
      return [id, copy];
    });
  }
}

const copies = new WeakMap<Rules, Copies>();

function copied(rules: Rules): PyDict {
  let current = copies.get(rules);
  if (current === undefined || current.isChanged) {
    current = new Copies(rules.plainDestinations);
    copies.set(rules, current);
  }
  return new PyDict(current.pairs);
}
