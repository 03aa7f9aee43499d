import { nativeFunction, PyDict, PyList, PyModule, raise, repr } from '../../python/index.ts';
import type { Modules, Value } from '../../python/index.ts';
import { entityClass, entityClasses, ruledClass } from '../entity/entity-classes.ts';
import { galaxyExceptions } from './exceptions.ts';
import { explain } from './explain-module.ts';
import { toolClass } from './galaxy.ts';
import { galaxyModules } from './galaxy-modules.ts';
import { ruleHelperOf } from './helpers.ts';
import type { JobDescription } from '../job.ts';
import { queryingSqlalchemy } from '../jobs/query.ts';
import { mapperClasses } from './mapper.ts';
import { tagNames } from './python-tags.ts';

/**
 * `galaxy.tools.GALAXY_LIB_TOOLS_UNVERSIONED`: tools that run with Galaxy's own libraries in every
 * version.
 */
const LIB_TOOLS = ['upload1', 'send_to_cloud', '__DATA_FETCH__', 'directory_uri', 'export_remote'];

const entities = new PyModule('tpv.core.entities', [
  ...tagNames,
  ...[entityClass, ruledClass, ...Object.values(entityClasses)].map((cls): [string, Value] => [
    cls.name,
    cls,
  ]),
  ['TPVConfig', mapperClasses.config],
  ['GlobalConfig', mapperClasses.global],
  ['TryNextDestinationOrFail', galaxyExceptions.TryNextDestinationOrFail],
  ['TryNextDestinationOrWait', galaxyExceptions.TryNextDestinationOrWait],
  ['IncompatibleTagsException', galaxyExceptions.IncompatibleTagsException],
]);
const mapper = new PyModule('tpv.core.mapper', [
  ['EntityToDestinationMapper', mapperClasses.mapper],
]);
const loader = new PyModule('tpv.core.loader', [
  ['TPVConfigLoader', mapperClasses.loader],
  ['InvalidParentException', galaxyExceptions.InvalidParentException],
]);
const evaluator = new PyModule('tpv.core.evaluator', [
  ['TPVCodeEvaluator', mapperClasses.evaluator],
]);
const util = new PyModule('tpv.core.util', [
  [
    'load_yaml_from_url_or_path',
    nativeFunction('load_yaml_from_url_or_path(url_or_path)', (path = null) =>
      raise('FileNotFoundError', `[Errno 2] No such file or directory: ${repr(path)}`),
    ),
  ],
]);
const tpvModules = [entities, mapper, loader, evaluator, explain, util];

const SHARED = new Map<string, Value>(
  [...tpvModules, ...galaxyModules, queryingSqlalchemy].map((module) => [module.name, module]),
);
const OWN: ReadonlySet<string> = new Set([
  'tpv',
  'tpv.core',
  'tpv.core.helpers',
  'tpv.rules',
  'tpv.rules.gateway',
  'galaxy',
  'galaxy.tools',
  'galaxy.jobs.rule_helper',
]);

/** All modules that `modulesWith` finds, besides the given ones. */
export const MODULE_NAMES: readonly string[] = [...new Set([...SHARED.keys(), ...OWN])];

/**
 * The modules that rules import beside Python's: the given ones, then the parts of TPV and Galaxy
 * that rules use. Modules that rules may change, or that know the job, are made for each mapping
 * that imports one.
 */
export function modulesWith(
  helpers: () => PyModule,
  job: JobDescription,
  given: Modules | undefined,
): Modules {
  let made: Modules | undefined;
  const own = (name: string): Value | undefined => (made ??= ownModules(helpers(), job)).get(name);
  return {
    get: (name) => given?.get(name) ?? SHARED.get(name) ?? (OWN.has(name) ? own(name) : undefined),
  };
}

/** Makes its class on first use: few rules import it, and each job has its own. */
class RuleHelperModule extends PyModule {
  readonly #job: JobDescription;
  #ruleHelper: Value | undefined;

  constructor(job: JobDescription) {
    super('galaxy.jobs.rule_helper', []);
    this.#job = job;
  }

  override attribute(name: string): Value | undefined {
    if (name === 'RuleHelper') return (this.#ruleHelper ??= ruleHelperOf(this.#job));
    return super.attribute(name);
  }
}

function ownModules(helpers: PyModule, job: JobDescription): Modules {
  const tools = new PyModule('galaxy.tools', [
    ['GALAXY_LIB_TOOLS_UNVERSIONED', new PyList([...LIB_TOOLS])],
    ['Tool', toolClass],
  ]);
  const core = new PyModule('tpv.core', [...tpvModules, helpers].map(asMember));
  const galaxy = new PyModule('galaxy', [...galaxyModules.filter(isOfGalaxy), tools].map(asMember));
  // Galaxy's handlers list their mappers here; this service has no handlers.
  const gateway = new PyModule('tpv.rules.gateway', [['ACTIVE_DESTINATION_MAPPERS', new PyDict()]]);
  const rules = new PyModule('tpv.rules', [['gateway', gateway]]);
  const tpv = new PyModule('tpv', [core, rules].map(asMember));
  const all = [tpv, core, rules, gateway, helpers, galaxy, tools, new RuleHelperModule(job)];
  return new Map(all.map((module) => [module.name, module]));
}

/** A module by the last part of its name. */
function asMember(module: PyModule): readonly [string, Value] {
  return [module.name.slice(module.name.lastIndexOf('.') + 1), module];
}

function isOfGalaxy({ name }: PyModule): boolean {
  return /^galaxy\.\w+$/.test(name);
}
