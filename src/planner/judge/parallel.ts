import { engineKindOf } from '../../runners/engine.ts';
import type { SiteDestination } from '../../site/destination.ts';
import { isParallel } from '../../tasks/task.ts';
import type { Ask, ComputePart } from '../ask.ts';
import { numberQuantity, textQuantity } from '../refusal.ts';
import type { Objection } from './objection.ts';

/** Why a destination cannot run a parallel job on the machines of an ask; nothing for others. */
export function parallelObjections(ask: Ask, destination: SiteDestination): readonly Objection[] {
  const { task, parts, plugin } = ask;
  if (!isParallel(task)) return [];
  const { parallel } = engineKindOf(destination.engine);
  const lack =
    parallel === undefined || !parallel.types.includes(task.type)
      ? (parallel?.otherwise ?? `The runner ${destination.engine.runner} starts none.`)
      : destination.isParallel
        ? parallel.lackOf?.(task)
        : 'The site does not say that it starts them there.';
  if (parallel === undefined || lack !== undefined)
    return [
      {
        code: 'no-parallel-jobs',
        place: { what: 'spec', at: plugin === undefined ? 'parallel' : '' },
        asked: textQuantity('mpi'),
        ...(lack !== undefined && { detail: lack }),
      },
    ];
  return [
    ...(parallel.isUniform && parts.length > 1
      ? [
          {
            code: 'compute-items-not-here' as const,
            place: { what: 'parts' } as const,
            asked: numberQuantity(parts.length),
            limit: numberQuantity(1),
            detail: 'All machines of a parallel job are alike there.',
          },
        ]
      : []),
    ...volumeObjections(parts),
  ];
}

/** A parallel job has one directory, in which all of its machines find the same. */
function volumeObjections(parts: Ask['parts']): readonly Objection[] {
  const first = parts.find(({ volumes }) => volumes.length > 0);
  if (first === undefined) return [];
  const known = keyOf(first);
  return parts.flatMap((part, index): readonly Objection[] =>
    part.volumes.length === 0 || keyOf(part) === known
      ? []
      : [
          {
            code: 'volume-path-not-here',
            place: { what: 'volume', part: index, volume: 0 },
            asked: textQuantity(part.volumes[0]?.path ?? ''),
            detail: 'The items of a parallel job mount the same volumes, or none.',
          },
        ],
  );
}

function keyOf({ volumes }: ComputePart): string {
  return JSON.stringify(volumes.map(({ name, path, mode }) => [name, path, mode]).toSorted());
}
