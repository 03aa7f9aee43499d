import { engineKindOf, type Engine } from '../../../runners/engine.ts';
import type { Task } from '../../../tasks/task.ts';
import { workflowFactsOf } from '../../../tasks/workflow/facts.ts';
import { isWorkflow } from '../../../tasks/workflow/workflow.ts';
import { languageOf } from '../../../workflows/languages.ts';

/** What a workflow needs of each machine, and why: millicores, or MiB. */
export type WorkflowNeed = {
  readonly resource: 'cores' | 'memory' | 'scratch';
  readonly amount: number;
  readonly why: string;
};

/** The largest step, and what its interpreter takes in the same place. */
export function needsWithin(task: Task): readonly WorkflowNeed[] {
  if (!isWorkflow(task)) return [];
  const { memory = 0 } = languageOf(task.type);
  return (workflowFactsOf(task)?.least ?? []).map(({ resource, amount, step }) => ({
    resource,
    amount: resource === 'memory' ? amount + memory : amount,
    why: `The step ${step} needs it.`,
  }));
}

/**
 * Where an engine takes the steps: the largest one, or a small one, and the interpreter beside it.
 * Undefined where it takes none.
 */
export function needsBeside(task: Task, engine: Engine): readonly WorkflowNeed[] | undefined {
  const head = isWorkflow(task) ? engineKindOf(engine).headOf?.(engine, task.type) : undefined;
  if (head === undefined || !isWorkflow(task)) return undefined;
  const least = workflowFactsOf(task)?.least ?? [];
  const beside = (['cores', 'memory'] as const).map((resource): WorkflowNeed => {
    const found = least.find((need) => need.resource === resource);
    const step = found === undefined ? 'its steps' : `the step ${found.step}`;
    return {
      resource,
      amount: head[resource] + (found?.amount ?? SMALLEST_STEP[resource]),
      why: `The interpreter needs a part of its own beside ${step}.`,
    };
  });
  return [...beside, ...needsWithin(task).filter(({ resource }) => resource === 'scratch')];
}

/** What needs have of a resource; 0: nothing. */
export function amountIn(needs: readonly WorkflowNeed[], wanted: WorkflowNeed['resource']): number {
  return needs.find(({ resource }) => resource === wanted)?.amount ?? 0;
}

const SMALLEST_STEP = { cores: 1000, memory: 64 };
