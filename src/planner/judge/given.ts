import { engineKindOf } from '../../runners/engine.ts';
import type { SiteDestination } from '../../site/destination.ts';
import type { Ask } from '../ask.ts';
import type { Promised } from '../offer.ts';
import { placeOfAmount } from '../place.ts';
import { compared } from '../refusal.ts';
import type { Objection } from './objection.ts';
import { sharesOf } from './parts.ts';

/** Rules may give fewer GPUs than the ask needs. */
export function grantedGpuObjections(ask: Ask, granted: number | null): readonly Objection[] {
  const { gpus } = ask;
  return gpus === undefined || granted === null || granted >= gpus.count
    ? []
    : [
        {
          code: 'below-requested-minimum',
          place: placeOfAmount(ask, 'gpus'),
          ...compared('gpus', gpus.count, granted, gpus.count),
        },
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
