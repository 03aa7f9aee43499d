import { Fuel, loggerNamed, PyDict, PyModule, standardModules } from '../../python/index.ts';
import type { Modules, RunOptions, Value } from '../../python/index.ts';
import type { JobDescription } from '../job.ts';
import type { Rules } from '../file/rules.ts';
import type { Snippets } from '../file/snippets.ts';
import '../python-view/entity-view.ts';
import { galaxyOf } from '../python-view/galaxy.ts';
import type { AmountsAsked } from '../python-view/helpers/costs.ts';
import { inputSize } from '../python-view/helpers/inputs.ts';
import { helpersOf } from '../python-view/helpers.ts';
import { mapperOf } from '../python-view/mapper.ts';
import { modulesWith } from '../python-view/modules.ts';
import { Repeater } from './results.ts';
import type { Surroundings } from '../surroundings.ts';
import { copyValue } from '../values.ts';

/**
 * Python steps that one decision may take: about 30 ms of a loop without the JIT, so that fuel runs
 * out well before the sandbox's 200 ms. Recorded mappings of production rules take at most 874.
 */
const FUEL = 200_000;

/** Names of TPV's loader that its snippets see, and that rules use without importing them. */
const LOADER_NAMES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['__name__', 'tpv.core.loader'],
  ...[...standardModules].filter(([name]) => ['ast', 'functools', 'logging'].includes(name)),
  ...typingMembers(['Any', 'Callable', 'cast']),
]);

const NO_MODULES: Modules = new Map();

/** What all evaluations of one mapping share. */
export type Session = {
  readonly snippets: Snippets;
  /** The options of snippets; those that import need more. */
  readonly plain: RunOptions;
  readonly importing: () => RunOptions;
  readonly repeater: Repeater;
  /** Made for the first snippet that mentions them: most mappings need none. */
  readonly helpers: () => PyModule;
  /** GB of distinct inputs, for snippets that mention it. */
  readonly inputSize: () => Value;
  /** What the job asks for; null before it is compared with destinations. */
  demand: AmountsAsked | null;
  /** Where the last Python error was raised: `file:line`. */
  place: string | null;
};

/** The session of one job, whose first names `scope` has. */
export function sessionOf(
  rules: Rules,
  job: JobDescription,
  surroundings: Surroundings,
  scope: ReadonlyMap<string, Value>,
): Session {
  let size: Value | undefined;
  let helpers: PyModule | undefined;
  let importing: RunOptions | undefined;
  const helpersOnce = (): PyModule =>
    (helpers ??= helpersOf(job, surroundings.modules?.get('random'), () => session.demand));
  const { random, now, transcript } = surroundings;
  const kept = transcript === undefined ? {} : { transcript };
  const plain: RunOptions = { fuel: new Fuel(FUEL), random, now, modules: NO_MODULES, ...kept };
  const session: Session = {
    snippets: rules.snippets,
    plain,
    importing: () =>
      (importing ??= { ...plain, modules: modulesWith(helpersOnce, job, surroundings.modules) }),
    repeater: new Repeater(job, plain.fuel, scope),
    helpers: helpersOnce,
    inputSize: () => (size ??= inputSize(job)),
    demand: null,
    place: null,
  };
  return session;
}

/** The names that the first snippet of a mapping sees. */
export function firstScope(
  rules: Rules,
  job: JobDescription,
  surroundings: Surroundings,
): Map<string, Value> {
  const galaxy = galaxyOf(job, surroundings.app);
  const scope = new Map(LOADER_NAMES);
  scope.set('log', loggerNamed('tpv.core.loader'));
  scope.set('input_size', 0);
  // TPV shares global values between jobs. Here each job gets copies: a rule that changes a list
  // changes it for its own job only.
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

function typingMembers(names: readonly string[]): readonly (readonly [string, Value])[] {
  const found = standardModules.get('typing');
  return found instanceof PyModule
    ? [...found.members].filter(([name]) => names.includes(name))
    : [];
}
