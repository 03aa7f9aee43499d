import { loggerNamed, PyDict, PyModule, standardModules } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import '../python-view/entity-view.ts';
import { galaxyOf } from '../python-view/galaxy.ts';
import type { JobDescription } from '../job.ts';
import type { Rules } from '../file/rules.ts';
import { mapperOf } from '../python-view/mapper.ts';
import type { Surroundings } from '../surroundings.ts';
import { copyValue } from '../values.ts';

/** Names of TPV's loader that its snippets see too, and that rules use without importing them. */
const LOADER_NAMES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['__name__', 'tpv.core.loader'],
  ...[...standardModules].filter(([name]) => ['ast', 'functools', 'logging'].includes(name)),
  ...membersOf('typing', ['Any', 'Callable', 'cast']),
]);

/** The names of a mapping's first snippet. */
export function firstScope(
  rules: Rules,
  job: JobDescription,
  surroundings: Surroundings,
): Map<string, Value> {
  const galaxy = galaxyOf(job, surroundings.app);
  const scope = new Map(LOADER_NAMES);
  scope.set('log', loggerNamed('tpv.core.loader'));
  scope.set('input_size', 0);
  // Global values are copied: TPV shares them between jobs, and a rule that changes a
  // list would change it for all.
  for (const [name, value] of rules.context.pairs()) scope.set(String(name), copyValue(value));
  const base: readonly (readonly [string, Value])[] = [
    ['app', galaxy.app],
    ['tool', galaxy.tool],
    ['user', galaxy.user],
    ['job', galaxy.job],
    ['job_wrapper', null],
    ['resource_params', new PyDict()],
    ['workflow_invocation_uuid', null],
    ['mapper', mapperOf(rules)],
  ];
  for (const [name, value] of base) scope.set(name, value);
  return scope;
}

function membersOf(
  module: string,
  names: readonly string[],
): readonly (readonly [string, Value])[] {
  const found = standardModules.get(module);
  return found instanceof PyModule
    ? [...found.members].filter(([name]) => names.includes(name))
    : [];
}
