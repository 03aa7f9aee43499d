import { PyList, PyModule, standardModules } from '../python/index.ts';
import type { Modules, Value } from '../python/index.ts';
import { entityClasses } from './entity-classes.ts';
import { galaxyExceptions } from './exceptions.ts';
import { ruleHelperOf } from './helpers.ts';
import type { JobDescription } from './job.ts';
import { tagNames } from './python-tags.ts';

/**
 * Tools that Galaxy runs with its own libraries whatever their version: `galaxy.tools.GALAXY_LIB_TOOLS_UNVERSIONED`.
 */
const LIB_TOOLS = ['upload1', 'send_to_cloud', '__DATA_FETCH__', 'directory_uri', 'export_remote'];

/**
 * What `import` finds in rules: Python's modules as far as they run, and the parts of TPV and Galaxy that rules use.
 */
export function modulesWith(helpers: PyModule, job: JobDescription): Modules {
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
  const tools = new PyModule('galaxy.tools', [['GALAXY_LIB_TOOLS_UNVERSIONED', new PyList([...LIB_TOOLS])]]);
  const core = new PyModule('tpv.core', [
    ['entities', entities],
    ['helpers', helpers],
  ]);
  const jobs = new PyModule('galaxy.jobs', [['mapper', mapper]]);
  const ruleHelper = new PyModule('galaxy.jobs.rule_helper', [['RuleHelper', ruleHelperOf(job)]]);
  const own = [entities, ruleHelper, mapper, tools, core, jobs, helpers];
  return new Map<string, Value>([
    ...standardModules,
    ...own.map((module): [string, Value] => [module.name, module]),
    ['tpv', new PyModule('tpv', [['core', core]])],
    [
      'galaxy',
      new PyModule('galaxy', [
        ['jobs', jobs],
        ['tools', tools],
      ]),
    ],
  ]);
}
