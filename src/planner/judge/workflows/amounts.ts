import type { Engine } from '../../../runners/engine.ts';
import { isNonEmpty } from '../../../words/ids.ts';
import type { Ask, AskStorage, Bounds } from '../../ask.ts';
import type { Understood } from '../../dialect.ts';
import { compared } from '../../refusal.ts';
import type { Objection } from '../objection.ts';
import { isOneMachine, leastScratch, storableCores, storableSize, totalsOf } from '../parts.ts';
import { amountIn, needsBeside, needsWithin, type WorkflowNeed } from './needs.ts';

/** An ask for a workflow with the least amounts of its largest step where the client names none. */
export function withLeastAmounts(understood: Understood): Understood {
  if (!understood.ok) return understood;
  const { ask } = understood;
  const needs = needsWithin(ask.task);
  if (needs.length === 0) return understood;
  const storage = ask.namesScratch ? ask.storage : ask.storage.map((item) => roomy(item, ask));
  return { ...understood, ask: { ...raisedTo(ask, needs, () => Infinity), storage } };
}

/**
 * The same ask where an engine takes the steps, whose interpreter is beside them. An ask that has
 * enough for the largest step gets more, where its maximum allows it.
 */
export function besideHead(ask: Ask, engine: Engine): Ask {
  const needs = needsBeside(ask.task, engine);
  if (needs === undefined) return ask;
  const within = needsWithin(ask.task);
  return raisedTo(ask, needs, (resource) => amountIn(within, resource));
}

/** The amounts of an ask that are less than a workflow needs. */
export function belowLeastAmounts(ask: Ask, needs: readonly WorkflowNeed[]): readonly Objection[] {
  return needs.flatMap(({ resource, ...need }) =>
    resource === 'scratch' ? smallVolumes(ask, need) : smallBounds(ask, resource, need),
  );
}

type Need = Pick<WorkflowNeed, 'amount' | 'why'>;

/** Each machine runs all of the workflow. */
function smallBounds(
  { parts }: Pick<Ask, 'parts'>,
  resource: 'cores' | 'memory',
  { amount, why }: Need,
): readonly Objection[] {
  return parts.flatMap((part, index) =>
    (['min', 'max'] as const).flatMap((bound): readonly Objection[] => {
      const said = part[resource][bound];
      return said === undefined || said >= amount
        ? []
        : [
            {
              code: 'below-workflow-minimum',
              place: { what: resource, bound, part: index },
              ...compared(resource, said, amount, said),
              detail: why,
            },
          ];
    }),
  );
}

/**
 * An ask names the scratch space of a machine by the sizes of its volumes. Of these only one that
 * ends with the job says how much the job works with; the others are as large as what they keep.
 */
function smallVolumes(
  { parts, storage, namesScratch }: Pick<Ask, 'parts' | 'storage' | 'namesScratch'>,
  { amount, why }: Need,
): readonly Objection[] {
  if (!namesScratch) return [];
  return parts.flatMap((part): readonly Objection[] => {
    const held = storage.flatMap((item, index) =>
      item.kind !== 'kept' &&
      (isOneMachine(parts) || part.volumes.some(({ name }) => name === item.name))
        ? [{ index, kind: item.kind, size: item.size ?? 0 }]
        : [],
    );
    const lacking = amount - held.reduce((sum, { size }) => sum + size, 0);
    const [most] = held
      .filter(({ kind }) => kind === 'ephemeral')
      .toSorted((a, b) => b.size - a.size);
    return most === undefined || lacking <= 0
      ? []
      : [
          {
            code: 'below-workflow-minimum',
            place: { what: 'size', item: most.index },
            ...compared('scratch', most.size, most.size + lacking, most.size),
            detail: why,
          },
        ];
  });
}

/** @param enough minima from which on a client's own are raised, too */
function raisedTo(
  ask: Ask,
  needs: readonly WorkflowNeed[],
  enough: (resource: WorkflowNeed['resource']) => number,
): Ask {
  const [cores, memory] = [amountIn(needs, 'cores'), amountIn(needs, 'memory')];
  const parts = ask.parts.map((part) => ({
    ...part,
    cores: raised(part.cores, storableCores(cores), enough('cores')),
    memory: raised(part.memory, storableSize(memory), enough('memory')),
  }));
  return isNonEmpty(parts) ? { ...ask, parts, ...totalsOf(parts) } : ask;
}

/** A volume of which the site decides the size has room for the largest step. */
function roomy(item: AskStorage, ask: Ask): AskStorage {
  return item.kind === 'ephemeral'
    ? { ...item, size: storableSize(Math.max(item.size, leastScratch(ask))) }
    : item;
}

/** A maximum below it stays, and is refused. */
function raised<Unit extends number>(
  { min, max }: Bounds<Unit>,
  least: Unit,
  enough: number,
): Bounds<Unit> {
  const isRaised = least > 0 && (min === undefined || (min >= enough && min < least));
  return isRaised && (max === undefined || max >= least) ? { min: least, max } : { min, max };
}
