import type { Flavour } from '../../site/sizes.ts';
import type { Site } from '../../site/site.ts';
import type { Ask } from '../ask.ts';
import { amountChange, higherMinimum, type Change, type Remedies } from './change.ts';
import { isOneMachine } from '../judge/parts.ts';
import type { AskPlace } from '../place.ts';
import { fewerGpusTogether, fewerOfAll, lowerTogether, raiseTogether } from './remedy-items.ts';
import { smallerVolumes } from './remedy-storage.ts';

/** Resources of which an ask has amounts: counts of GPUs, millicores, MiB. */
export type AskedResource = 'cores' | 'memory' | 'gpus' | 'storage';

/**
 * Less of a resource.
 *
 * @param place what the refusal is about
 * @param asked the amount that is too much; it may be more than the ask says
 */
export function toLower(
  ask: Ask,
  site: Site,
  resource: AskedResource,
  {
    place,
    asked,
    limit,
  }: { readonly place: AskPlace; readonly asked: number | undefined; readonly limit: number },
): Remedies {
  switch (resource) {
    case 'cores':
    case 'memory':
      return lowerBound(ask, site, resource, Math.floor(limit), asked);
    case 'gpus':
      return fewerGpus(ask, limit);
    case 'storage':
      return asked === undefined
        ? []
        : [...smallerVolumes(ask, place, { asked, limit }), ...fewerOfAll(ask, asked, limit)];
    default:
      return resource satisfies never;
  }
}

/** More of a resource: a higher minimum (and maximum), or a higher maximum, or none. */
export function toRaise(
  ask: Ask,
  resource: 'cores' | 'memory',
  which: 'min' | 'max',
  limit: number,
): Remedies {
  const { min, max } = ask[resource];
  if (!isOneMachine(ask.parts))
    return which === 'min' ? raiseTogether(ask, resource, min ?? 0, limit) : [];
  if (which === 'min') return (min ?? 0) >= limit ? [] : [higherMinimum(resource, 0, limit, max)];
  if (max === undefined) return [];
  const none: Change = { what: resource, bound: 'max', of: 0, to: undefined };
  return max < limit ? [[amountChange(resource, 'max', 0, limit)], [none]] : [[none]];
}

/** For each flavour of a destination, the changes that fit the ask into it. */
export function fitToFlavours(ask: Ask, site: Site, flavours: readonly Flavour[]): Remedies {
  return isOneMachine(ask.parts)
    ? flavours
        .map(({ cores, memory, gpus }): readonly Change[] => {
          const asked = ask.parts[0].gpus;
          const isCovered =
            asked === undefined
              ? gpus === undefined
              : gpus?.type === asked.type && gpus.count >= asked.count;
          return [
            ...fitToSize(ask, site, 'cores', cores),
            ...fitToSize(ask, site, 'memory', memory),
            ...(isCovered ? [] : [{ what: 'gpu' as const, of: 0, to: gpus }]),
          ];
        })
        .filter((changes) => changes.length > 0)
    : [];
}

/** A lower minimum; an ask without one gets a maximum, which limits the site's default. */
function lowerBound(
  ask: Ask,
  site: Site,
  resource: 'cores' | 'memory',
  limit: number,
  asked: number | undefined,
): Remedies {
  const { min, max } = ask[resource];
  if (limit <= 0) return [];
  if (!isOneMachine(ask.parts)) return lowerTogether(ask, resource, asked ?? min ?? limit, limit);
  if (min !== undefined) return min > limit ? [[amountChange(resource, 'min', 0, limit)]] : [];
  return site.defaults[resource] > limit && (max === undefined || max > limit)
    ? [[amountChange(resource, 'max', 0, limit)]]
    : [];
}

function fewerGpus(ask: Ask, limit: number): Remedies {
  const { parts, gpus } = ask;
  if (!isOneMachine(ask.parts))
    return gpus === undefined ? [] : fewerGpusTogether(ask, gpus.count, Math.floor(limit));
  const of = parts.findIndex(({ gpus }) => gpus !== undefined);
  const part = parts[of];
  if (part?.gpus === undefined) return [];
  const none: readonly Change[] = [{ what: 'gpu', of, to: undefined }];
  return limit >= 1 && limit < part.gpus.count
    ? [[{ what: 'gpu', of, to: { type: part.gpus.type, count: Math.floor(limit) } }], none]
    : [none];
}

/** An ask without a minimum takes the site's default, which only a maximum limits. */
function fitToSize(
  ask: Ask,
  { defaults }: Site,
  resource: 'cores' | 'memory',
  size: number,
): readonly Change[] {
  const { min, max } = ask[resource];
  const isUnsaid =
    min === undefined && defaults[resource] > size && (max === undefined || max > size);
  return [
    ...(min !== undefined && min > size ? [amountChange(resource, 'min', 0, size)] : []),
    ...(isUnsaid || (max !== undefined && max < size)
      ? [amountChange(resource, 'max', 0, size)]
      : []),
  ];
}
