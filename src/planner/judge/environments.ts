import {
  BUILT_IN_NOTEBOOK_MODULES,
  JUPYTER_MODULES,
  type PythonEnvironment,
  type PromisedEnvironment,
} from '../../environments/environment.ts';
import { isNeeded, requirementLack } from '../../environments/lacks.ts';
import type { Requirement } from '../../environments/requirement.ts';
import { engineKindOf } from '../../runners/engine.ts';
import type { SiteDestination } from '../../site/destination.ts';
import { keyOfRequirements } from '../../environments/requirements-key.ts';
import { codeKey, importsOfTask, type ImportNeed } from '../../tasks/python-imports.ts';
import {
  madeRequirements,
  requirementsOf,
  type StatedRequirement,
} from '../../tasks/python-needs.ts';
import { shown, type NotebookTask, type ProgramTask, type Task } from '../../tasks/task.ts';
import type { Ask } from '../ask.ts';
import type { AskPlace } from '../place.ts';
import { textQuantity } from '../refusal.ts';
import { uncheckedAnywhere, uncheckedThere } from './environment-notes.ts';
import type { Objection } from './objection.ts';

/** The environment in which a destination runs a task, or why none of them will do. */
export type EnvironmentChoice = {
  /** undefined: the task needs none; without a name: nobody knows what is there */
  readonly environment?: PromisedEnvironment;
  readonly objections: readonly Objection[];
};

/**
 * The first environment of a destination that has what a task needs. Without one, the objections
 * are those of the environment that lacks least.
 */
export function chooseEnvironment(
  { task, plugin, parts }: Pick<Ask, 'task' | 'plugin' | 'parts'>,
  { environments, engine, taskTypes }: SiteDestination,
): EnvironmentChoice {
  if (task.type !== 'jupyter-notebook' && task.type !== 'python-program') return NONE;
  const isTaken =
    taskTypes.has(plugin?.name ?? task.type) && engineKindOf(engine).executes[task.type];
  if (!isTaken) return NONE;
  // The client of a plug-in wrote none of these keys.
  const at = (key: string): AskPlace => ({ what: 'spec', at: plugin === undefined ? key : '' });
  if (environments === undefined) return unknownThere(task, at);
  const asked: Asked = { task, parts, at };
  const known = choices.get(task) ?? new Map<readonly PythonEnvironment[], KnownChoice>();
  choices.set(task, known);
  const before = known.get(environments);
  // Volumes bring modules.
  if (before?.parts === parts) return before.choice;
  const choice = choiceOf(asked, environments);
  known.set(environments, { parts, choice });
  return choice;
}

const NONE: EnvironmentChoice = { objections: [] };

/** Destinations share the lists of their environments, so a thousand of them cost one judgement. */
const choices = new WeakMap<Task, Map<readonly PythonEnvironment[], KnownChoice>>();
type KnownChoice = Pick<Ask, 'parts'> & { readonly choice: EnvironmentChoice };

type Ready = Extract<PythonEnvironment, { readonly state: 'ready' }>;
type Asked = Pick<Ask, 'parts'> & {
  readonly task: NotebookTask | ProgramTask;
  readonly at: (key: string) => AskPlace;
};

function choiceOf(asked: Asked, environments: readonly PythonEnvironment[]): EnvironmentChoice {
  const wanted = asked.task.needs?.environment;
  const named = environments.filter(({ name }) => wanted === undefined || name === wanted);
  if (named.length === 0)
    return {
      objections: [
        {
          code: 'environment-unknown',
          place: asked.at('environment'),
          asked: textQuantity(wanted ?? ''),
          limit: textQuantity(environments.map(({ name }) => name).join(', ')),
        },
      ],
    };
  const working = named.filter((one) => one.state === 'ready');
  // What is there begins at once; the others are made first.
  const ready = [
    ...working.filter(({ kind }) => kind !== 'venv'),
    ...working.filter(({ kind }) => kind === 'venv'),
  ];
  if (ready.length === 0)
    return {
      objections: [
        {
          code: 'environment-broken',
          place: wanted === undefined ? { what: 'task' } : asked.at('environment'),
          asked: textQuantity(named.map(({ name }) => name).join(', ')),
        },
      ],
    };
  const requirements = requirementsOf(asked.task.needs ?? {});
  const imports = importsOutside(asked);
  let least: readonly Objection[] | undefined;
  for (const one of ready) {
    const objections =
      one.kind === 'venv'
        ? lacksOfMade(asked, one, imports)
        : lacksOf(asked, one, requirements, imports);
    if (objections.length === 0) return { environment: promisedOf(asked, one), objections };
    if (least === undefined || weightOf(objections) < weightOf(least)) least = objections;
  }
  return { objections: least ?? [] };
}

function promisedOf(asked: Asked, one: Ready): PromisedEnvironment {
  const { name, kind, facts } = one;
  const mounted = mountedBy(asked);
  const lacks = (module: string): boolean =>
    !mounted.has(module) && !hasModule(one, asked.task, module);
  const installed = kind === 'venv' ? installedIn(one, asked.task) : [];
  const note = uncheckedThere(asked.task, name, lacks, installed);
  return { name, python: facts.python, ...(note !== undefined && { note }) };
}

/** Nothing is promised about what nobody knows. */
function unknownThere(task: NotebookTask | ProgramTask, at: Asked['at']): EnvironmentChoice {
  const { needs } = task;
  const said = (['requirements', 'environment'] as const).filter(
    (key) => needs?.[key] !== undefined,
  );
  const objections = said.map((key): Objection => ({
    code: 'environment-unknown',
    place: at(key),
    ...(key === 'environment' && { asked: textQuantity(needs?.environment ?? '') }),
    detail: 'The planner does not know what is installed there.',
  }));
  const note = objections.length === 0 ? uncheckedAnywhere(task) : undefined;
  return { objections, ...(note !== undefined && { environment: { note } }) };
}

/** Most missing imports that are told: a program may have 20,000 of them at each destination. */
const MOST_IMPORTS = 100;

/** Another version of a package is nearer than none. */
function weightOf(objections: readonly Objection[]): number {
  return objections.reduce((sum, { code }) => sum + (code === 'package-version' ? 1 : 2), 0);
}

/** Modules may also be folders that the task mounts where Python begins to look. */
function importsOutside(asked: Asked): readonly ImportNeed[] {
  const imports = importsOfTask(asked.task).needs;
  if (imports.length === 0) return imports;
  const mounted = mountedBy(asked);
  return mounted.size === 0 ? imports : imports.filter(({ module }) => !mounted.has(module));
}

function mountedBy({ parts }: Asked): ReadonlySet<string | undefined> {
  return new Set(
    parts.flatMap(({ volumes }) =>
      volumes.map(({ path }) => path.split('/').find((one) => /\w/.test(one))),
    ),
  );
}

function hasModule({ kind, facts }: Ready, task: Asked['task'], module: string): boolean {
  return (
    facts.modules.has(module) ||
    (task.type === 'jupyter-notebook' &&
      kind !== 'interpreter' &&
      BUILT_IN_NOTEBOOK_MODULES.has(module))
  );
}

/**
 * Which modules packages bring is known when they are installed: where the task names packages,
 * its imports are not judged.
 */
function lacksOfMade(
  asked: Asked,
  one: Ready,
  imports: readonly ImportNeed[],
): readonly Objection[] {
  const { task, at } = asked;
  const why = one.unmet?.get(keyOfRequirements(madeRequirements(task)));
  if (why === undefined)
    return installedIn(one, task).length > 0 ? [] : lacksOf(asked, one, [], imports);
  return [
    {
      code: 'requirements-unmet',
      place: at('requirements'),
      detail: `The environment ${one.name} cannot be made: ${why}`,
    },
  ];
}

/** The packages that an environment gets which is made for a task: some are required elsewhere only. */
function installedIn({ facts }: Ready, { needs = {} }: Asked['task']): readonly Requirement[] {
  return requirementsOf(needs).flatMap(({ requirement }) =>
    isNeeded(requirement, facts) ? [requirement] : [],
  );
}

function lacksOf(
  { task, at }: Asked,
  one: Ready,
  requirements: readonly StatedRequirement[],
  imports: readonly ImportNeed[],
): readonly Objection[] {
  const { name, kind, facts } = one;
  const jupyter =
    task.type === 'jupyter-notebook' && kind === 'interpreter'
      ? JUPYTER_MODULES.find((module) => !facts.modules.has(module))
      : undefined;
  return [
    ...(jupyter === undefined
      ? []
      : [
          {
            code: 'module-missing' as const,
            place: at(''),
            needed: textQuantity(jupyter),
            detail: `Notebooks need it in ${name}.`,
          },
        ]),
    ...requirements.flatMap((stated) => requirementObjection(stated, name, facts, at) ?? []),
    ...imports
      .filter(({ module }) => !hasModule(one, task, module))
      .slice(0, MOST_IMPORTS)
      .map(({ module, cell, line }): Objection => ({
        code: 'module-missing',
        place: at(codeKey(task)),
        asked: textQuantity(shown(module)),
        detail:
          cell === undefined
            ? `Line ${line} imports it, and ${name} lacks it.`
            : `Cell ${cell} imports it, and ${name} lacks it.`,
      })),
  ];
}

function requirementObjection(
  { requirement, at: key, line }: StatedRequirement,
  name: string,
  facts: Ready['facts'],
  at: Asked['at'],
): Objection | undefined {
  const lack = requirementLack(requirement, facts);
  if (lack === undefined) return undefined;
  const rest = {
    place: at(key),
    asked: textQuantity(requirement.text),
    detail: [
      `The environment is ${name}.`,
      ...(line === undefined ? [] : [`Line ${line} of the requirements names it.`]),
      ...(lack.for === undefined ? [] : [`${lack.for} needs ${lack.package}${lack.versions}.`]),
    ].join(' '),
  };
  return lack.kind === 'missing'
    ? { code: 'package-missing', ...rest }
    : { code: 'package-version', ...rest, limit: textQuantity(lack.has) };
}
