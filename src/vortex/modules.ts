import { PyList, PyModule } from '../python/index.ts';
import type { Modules, Value } from '../python/index.ts';
import { entityClasses } from './entity-classes.ts';
import { galaxyExceptions } from './exceptions.ts';
import { ruleHelperOf } from './helpers.ts';
import type { JobDescription } from './job.ts';
import { galaxyModel, sqlalchemy } from './jobs/query.ts';
import { tagNames } from './python-tags.ts';

/**
 * Tools that Galaxy runs with its own libraries whatever their version: `galaxy.tools.GALAXY_LIB_TOOLS_UNVERSIONED`.
 */
const LIB_TOOLS = ['upload1', 'send_to_cloud', '__DATA_FETCH__', 'directory_uri', 'export_remote'];

const entities = new PyModule('tpv.core.entities', [
  ...tagNames,
  ...Object.values(entityClasses).map((cls): [string, Value] => [cls.name, cls]),
  ['TryNextDestinationOrFail', galaxyExceptions.TryNextDestinationOrFail],
  ['TryNextDestinationOrWait', galaxyExceptions.TryNextDestinationOrWait],
]);
const mapper = new PyModule('galaxy.jobs.mapper', [
  ['JobMappingException', galaxyExceptions.JobMappingException],
  ['JobNotReadyException', galaxyExceptions.JobNotReadyException],
]);
const jobs = new PyModule('galaxy.jobs', [['mapper', mapper]]);

/**
 * What `import` finds in rules beside Python's modules: the parts of TPV and Galaxy that rules use. Made for every
 * mapping that imports anything, since rules may change what they get.
 */
export function modulesWith(helpers: PyModule, job: JobDescription): Modules {
  const tools = new PyModule('galaxy.tools', [['GALAXY_LIB_TOOLS_UNVERSIONED', new PyList([...LIB_TOOLS])]]);
  const core = new PyModule('tpv.core', [
    ['entities', entities],
    ['helpers', helpers],
  ]);
  return new Map<string, Value>([
    [entities.name, entities],
    [mapper.name, mapper],
    [jobs.name, jobs],
    ['galaxy.jobs.rule_helper', new RuleHelperModule(job)],
    [tools.name, tools],
    [core.name, core],
    [helpers.name, helpers],
    [galaxyModel.name, galaxyModel],
    [sqlalchemy.name, sqlalchemy],
    ['tpv', new PyModule('tpv', [['core', core]])],
    [
      'galaxy',
      new PyModule('galaxy', [
        ['jobs', jobs],
        ['model', galaxyModel],
        ['tools', tools],
      ]),
    ],
  ]);
}

/** Few rules import it, and its class is made for each job. */
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
