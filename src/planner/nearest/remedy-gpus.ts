import type { SiteDestination } from '../../site/destination.ts';
import type { Ask } from '../ask.ts';
import type { Refusal } from '../refusal.ts';
import type { Change, Circumstance, Remedies } from './change.ts';

/** Other GPUs, which the destination has, or none. */
export function otherGpus(
  { ask }: Circumstance,
  _refusal: Refusal,
  { capacity }: SiteDestination,
): Remedies {
  const of = ask.parts.findIndex(({ gpus }) => gpus !== undefined);
  const count = ask.parts[of]?.gpus?.count;
  if (count === undefined) return [];
  if (ask.parts.length > 1) return otherGpusTogether(ask, capacity.gpus);
  const others = [...capacity.gpus]
    .filter(([, has]) => has > 0)
    .map(([type, has]): readonly Change[] => [
      { what: 'gpu', of, to: { type, count: Math.min(count, has) } },
    ]);
  return [...others, [{ what: 'gpu', of, to: undefined }]];
}

/** All items have GPUs of one type, so all of them change. */
function otherGpusTogether(
  { parts, gpus: asked }: Ask,
  has: SiteDestination['capacity']['gpus'],
): Remedies {
  const having = parts.flatMap(({ gpus }, of) =>
    gpus === undefined ? [] : [{ of, count: gpus.count }],
  );
  const types = [...has].filter(([, most]) => most >= (asked?.count ?? 0)).map(([type]) => type);
  return [...types, undefined].map((type) =>
    having.map(({ of, count }): Change => ({
      what: 'gpu',
      of,
      to: type === undefined ? undefined : { type, count },
    })),
  );
}
