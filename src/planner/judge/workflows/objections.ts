import { engineKindOf } from '../../../runners/engine.ts';
import type { SiteDestination } from '../../../site/destination.ts';
import type { Site } from '../../../site/site.ts';
import { workflowFactsOf } from '../../../tasks/workflow/facts.ts';
import { isWorkflow } from '../../../tasks/workflow/workflow.ts';
import { languageOf, type WorkflowType } from '../../../workflows/languages.ts';
import { interpreterFor, runsVersion } from '../../../workflows/terms.ts';
import type { Ask } from '../../ask.ts';
import { textQuantity } from '../../refusal.ts';
import type { Objection } from '../objection.ts';
import { belowLeastAmounts } from './amounts.ts';
import { needsBeside, needsWithin } from './needs.ts';

/** Why a destination cannot run a workflow that its engine could. */
export function workflowObjections(
  ask: Ask,
  site: Pick<Site, 'destinations'>,
  { engine }: Pick<SiteDestination, 'engine'>,
): readonly Objection[] {
  const { task, plugin } = ask;
  if (!isWorkflow(task) || !engineKindOf(engine).executes[task.type]) return [];
  const { type } = task;
  const { name } = languageOf(type);
  const facts = workflowFactsOf(task);
  const interpreter = interpreterFor(engine.workflows, type);
  const own: readonly Objection[] =
    interpreter === undefined
      ? [
          {
            code: 'interpreter-missing',
            place: { what: 'task-type' },
            asked: textQuantity(name),
            limit: textQuantity(Object.keys(engine.workflows ?? {}).join(', ') || 'none'),
            detail: havingOf(site, type),
          },
        ]
      : runsVersion(interpreter, type, facts?.version)
        ? []
        : [
            {
              code: 'interpreter-version',
              place: { what: 'spec', at: plugin === undefined ? 'workflow' : '' },
              asked: textQuantity(facts?.version ?? ''),
              limit: textQuantity(interpreter.versions.join(', ')),
            },
          ];
  return [...own, ...belowLeastAmounts(ask, needsBeside(task, engine) ?? needsWithin(task))];
}

/** Is a task a workflow for which a destination has no interpreter? That says more than its type. */
export function lacksInterpreter(
  { task }: Pick<Ask, 'task'>,
  { engine }: Pick<SiteDestination, 'engine'>,
): boolean {
  return (
    isWorkflow(task) &&
    engineKindOf(engine).executes[task.type] &&
    interpreterFor(engine.workflows, task.type) === undefined
  );
}

/** A thousand destinations without an interpreter say the same of the others. */
const having = new WeakMap<Site['destinations'], Map<WorkflowType, string>>();

function havingOf({ destinations }: Pick<Site, 'destinations'>, type: WorkflowType): string {
  const known = having.get(destinations) ?? new Map<WorkflowType, string>();
  having.set(destinations, known);
  const before = known.get(type);
  if (before !== undefined) return before;
  const { name } = languageOf(type);
  const all = [...destinations.values()]
    .filter(({ engine }) => interpreterFor(engine.workflows, type) !== undefined)
    .map(({ id }) => id);
  const told =
    all.length === 0
      ? `No destination of this site has one of ${name}.`
      : `These have one of ${name}: ${all.slice(0, 10).join(', ')}.`;
  known.set(type, told);
  return told;
}
