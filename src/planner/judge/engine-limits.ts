import { engineKindOf, type Engine, type TextLimit } from '../../runners/engine.ts';
import type { Task } from '../../tasks/task.ts';
import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { Ask } from '../ask.ts';
import type { Objection } from './objection.ts';
import type { Promised } from '../offer.ts';
import { sharesOf } from './parts.ts';
import { placeOfAmount } from '../place.ts';
import { compared, numberQuantity, textQuantity } from '../refusal.ts';

type TextSize = { readonly longest: number; readonly all: number };

/** Cached: counting anew for each of a thousand destinations was 6 % of their NO. */
const textSizes = new WeakMap<Task, Map<TextLimit['sizeOf'], TextSize>>();

/** What the engine of a destination can never do for an ask, so that its runner would refuse the job. */
export function engineObjections(
  ask: Ask,
  { engine, taskTypes }: SiteDestination,
): readonly Objection[] {
  const { task, plugin } = ask;
  const name = plugin?.name ?? task.type;
  const { executes, lackOf } = engineKindOf(engine);
  const isTaken = taskTypes.has(name) && executes[task.type];
  const lack = lackOf?.(engine, task.type);
  return [
    // A plug-in turns its task type into a built-in one, which the site need not list.
    ...(isTaken && lack !== undefined && !isWorkflow(task)
      ? [
          {
            code: 'task-type-not-here' as const,
            place: { what: 'task-type' } as const,
            asked: textQuantity(name),
            detail: `The site names no ${lack.what} (${lack.key}).`,
          },
        ]
      : []),
    ...gpuObjections(ask, engine),
    ...programObjections(ask, engine),
    ...textObjections(ask, engine),
  ];
}

/** The engine cannot execute an offer with less memory than it needs for itself. */
export function leastMemoryObjections(
  { task }: Ask,
  { engine }: SiteDestination,
  promised: Pick<Promised, 'parts' | 'cores' | 'memory' | 'gpus'>,
): readonly Objection[] {
  const least = engineKindOf(engine).leastMemoryOf?.(engine, task.type) ?? 0;
  return sharesOf(promised).flatMap(({ part, memory }, index): readonly Objection[] =>
    memory.min >= least
      ? []
      : [
          {
            code: 'below-least-memory',
            place: { what: 'memory', bound: 'min', part: index },
            ...compared('memory', memory.min, least, part.memory.min),
          },
        ],
  );
}

function gpuObjections(ask: Ask, engine: Engine): readonly Objection[] {
  const { task, gpus } = ask;
  return gpus !== undefined && engineKindOf(engine).noGpusFor === task.type
    ? [
        {
          code: 'gpus-not-for-type',
          place: placeOfAmount(ask, 'gpus'),
          ...compared('gpus', gpus.count, 0, gpus.count),
        },
      ]
    : [];
}

/** Programs are started by env, which takes a path with "=" for a variable. */
function programObjections({ task, plugin }: Ask, engine: Engine): readonly Objection[] {
  return task.type === 'executable' &&
    engineKindOf(engine).startsByEnv &&
    task.command[0].includes('=')
    ? [
        {
          code: 'task-spec-invalid',
          place: { what: 'spec', at: plugin === undefined ? 'command[0]' : '' },
          asked: textQuantity(task.command[0]),
          detail: 'The path of a program cannot have "=" in it here.',
        },
      ]
    : [];
}

function textObjections({ task, plugin }: Ask, engine: Engine): readonly Objection[] {
  const limit = engineKindOf(engine).textLimitOf(engine);
  if (limit === undefined) return [];
  const { longest, all } = textSizeOf(task, limit.sizeOf);
  const place = {
    what: 'spec',
    at: plugin === undefined && task.type === 'python-program' ? 'arguments' : '',
  } as const;
  if (longest > limit.word)
    return [
      {
        code: 'task-text-too-long',
        place,
        asked: numberQuantity(longest),
        limit: numberQuantity(limit.word),
        detail: 'In bytes, of one word or variable.',
      },
    ];
  return all > limit.all
    ? [
        {
          code: 'task-text-too-long',
          place,
          asked: numberQuantity(all),
          limit: numberQuantity(limit.all),
          detail: 'In bytes, of all words and variables.',
        },
      ]
    : [];
}

function textSizeOf(task: Task, sizeOf: TextLimit['sizeOf']): TextSize {
  const known = textSizes.get(task) ?? new Map<TextLimit['sizeOf'], TextSize>();
  const before = known.get(sizeOf);
  if (before !== undefined) return before;
  const sizes = textsOf(task).map(sizeOf);
  const counted = {
    longest: Math.max(0, ...sizes),
    all: sizes.reduce((sum, size) => sum + size, 0),
  };
  textSizes.set(task, known.set(sizeOf, counted));
  return counted;
}

/** The texts of a task that go into a command line and an environment. */
function textsOf(task: Task): readonly string[] {
  const variables = (environment: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  if (isWorkflow(task)) return [];
  switch (task.type) {
    case 'executable':
      return [...task.command, ...variables(task.environment)];
    case 'oci-container':
      return [...(task.entrypoint ?? []), ...(task.command ?? []), ...variables(task.environment)];
    case 'python-program':
      return task.arguments;
    case 'jupyter-notebook':
    case 'helm-chart':
      return [];
    default:
      return task satisfies never;
  }
}
