import { defineClass, PyClass, PyDict, raise } from '../../python/index.ts';
import type { PyObject, Value } from '../../python/index.ts';
import type { Entity } from '../entity/entity.ts';
import type { Rules } from '../file/rules.ts';
import { copyValue } from '../values.ts';
import { JOB_FACTS, read } from './facts.ts';

type SectionName = 'tools' | 'users' | 'roles' | 'destinations' | 'pools';

/**
 * The mapper of one job: the loaded rules, and copies of entities on demand, which a rule may
 * change.
 */
class Mapper {
  readonly rules: Rules;
  readonly #sections = new Map<SectionName, PyDict>();
  #context: Value | undefined;
  #config: PyObject | undefined;
  #loader: PyObject | undefined;

  constructor(rules: Rules) {
    this.rules = rules;
  }
  section(name: SectionName): PyDict {
    read.facts |= JOB_FACTS.rules;
    const known = this.#sections.get(name);
    if (known !== undefined) return known;
    const made = copied(this.rules, name);
    this.#sections.set(name, made);
    return made;
  }
  get context(): Value {
    read.facts |= JOB_FACTS.rules;
    return (this.#context ??= copyValue(this.rules.context));
  }
  get config(): PyObject {
    return (this.#config ??= configs.wrap(this));
  }
  get loader(): PyObject {
    return (this.#loader ??= loaders.wrap(this));
  }
}

/** `global` of the merged files. */
const globals = defineClass<Mapper>({
  name: 'GlobalConfig',
  module: 'tpv.core.entities',
  attributes: {
    default_inherits: { get: ({ rules }) => rules.defaultInherits },
    context: { get: (mapper) => mapper.context },
  },
});

/** The merged files. */
const configs = defineClass<Mapper>({
  name: 'TPVConfig',
  module: 'tpv.core.entities',
  attributes: {
    tools: { get: (mapper) => mapper.section('tools') },
    users: { get: (mapper) => mapper.section('users') },
    roles: { get: (mapper) => mapper.section('roles') },
    destinations: { get: (mapper) => mapper.section('destinations') },
    pools: { get: (mapper) => mapper.section('pools') },
    global_config: { get: (mapper) => globals.wrap(mapper) },
  },
});

/** Compiles and evaluates the code of rules; TPV's loader is one. */
const evaluator = new PyClass('TPVCodeEvaluator', [], { module: 'tpv.core.evaluator' });

const loaders = defineClass<Mapper | null>({
  name: 'TPVConfigLoader',
  module: 'tpv.core.loader',
  base: evaluator,
  attributes: { config: { get: (mapper) => mapper?.config } },
  methods: {
    'compile_code_block(code, as_f_string=, exec_only=)': refused('compile_code_block'),
    'eval_code_block(code, context, as_f_string=, exec_only=)': refused('eval_code_block'),
    'compile_complex_property(prop)': refused('compile_complex_property'),
    'evaluate_complex_property(prop, context)': refused('evaluate_complex_property'),
  },
});

/**
 * What rules see as `entity.evaluator`: TPV's loader, which compiles and evaluates an entity's
 * properties there.
 */
export const entityEvaluator = loaders.wrap(null);

/** What rules see as `mapper`: the merged entities, without default inheritance. */
const mappers = defineClass<Mapper>({
  name: 'EntityToDestinationMapper',
  module: 'tpv.core.mapper',
  attributes: {
    destinations: { get: (mapper) => mapper.section('destinations') },
    pools: { get: (mapper) => mapper.section('pools') },
    default_inherits: { get: ({ rules }) => rules.defaultInherits },
    global_context: { get: (mapper) => mapper.context },
    config: { get: (mapper) => mapper.config },
    loader: { get: (mapper) => mapper.loader },
  },
});

/** The classes, for rules that import them. */
export const mapperClasses = {
  mapper: mappers.cls,
  loader: loaders.cls,
  evaluator,
  config: configs.cls,
  global: globals.cls,
} as const;

export function mapperOf(rules: Rules): PyObject {
  return mappers.wrap(new Mapper(rules));
}

/**
 * Copies of all entities of a section, in a dict that a rule may change too. Most rules only look
 * at them, and then the next mapping gets the same copies.
 */
class Copies {
  readonly #pairs: readonly (readonly [string, Entity])[];
  readonly dict: PyDict;
  #isChanged = false;

  constructor(entities: ReadonlyMap<string, Entity>) {
    this.#pairs = [...entities].map(([id, entity]) => {
      const copy = entity.deepCopy();
      copy.onChange = () => {
        this.#isChanged = true;
      };
      return [id, copy];
    });
    this.dict = new PyDict(this.#pairs);
  }

  /** Whether no rule has changed the dict or its entities. */
  get isAsMade(): boolean {
    if (this.#isChanged || this.dict.table.size !== this.#pairs.length) return false;
    let at = 0;
    for (const { key, value } of this.dict.table.values()) {
      const pair = this.#pairs[at];
      if (pair?.[0] !== key || pair[1] !== value) return false;
      at += 1;
    }
    return true;
  }
}

const copies: { readonly [name in SectionName]: WeakMap<Rules, Copies> } = {
  tools: new WeakMap(),
  users: new WeakMap(),
  roles: new WeakMap(),
  destinations: new WeakMap(),
  pools: new WeakMap(),
};

function copied(rules: Rules, name: SectionName): PyDict {
  let current = copies[name].get(rules);
  if (current?.isAsMade !== true) {
    current = new Copies(entitiesOf(rules, name));
    copies[name].set(rules, current);
  }
  return current.dict;
}

function entitiesOf(rules: Rules, name: SectionName): ReadonlyMap<string, Entity> {
  if (name === 'destinations') return rules.plainDestinations;
  return name === 'pools' ? rules.plainPools : rules[name].entities;
}

/** Rule files are compiled when they are loaded: a rule cannot compile code while it runs. */
function refused(name: string) {
  return (): never =>
    raise(
      'NotImplementedError',
      `${name}() is not available in rule files: code is only what the rule file says`,
    );
}
