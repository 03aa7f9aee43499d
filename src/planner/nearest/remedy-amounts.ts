import type { Flavour } from '../../site/sizes.ts';
import type { Site } from '../../site/site.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import type { Ask } from '../ask.ts';
import type { Change } from './change.ts';
import { isOneMachine } from '../judge/parts.ts';
import type { AskPlace } from '../place.ts';
import { fewerGpusTogether, fewerOfAll, lowerTogether, raiseTogether } from './remedy-items.ts';
import { smallerVolumes } from './remedy-storage.ts';

/** What an ask has amounts of: GPUs are counts, the others millicores and MiB. */
export type AskedResource = 'cores' | 'memory' | 'gpus' | 'storage';

type Alternatives = readonly (readonly Change[])[];

/**
 * Less of a resource.
 *
 * @param place what the refusal is about
 * @param asked what was too much, which may be more than was asked for in words
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
): Alternatives {
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

/** More: a minimum that takes its maximum along, or a maximum, which may be left out altogether. */
export function toRaise(
  ask: Ask,
  resource: 'cores' | 'memory',
  which: 'min' | 'max',
  limit: number,
): Alternatives {
  const { min, max } = ask[resource];
  if (!isOneMachine(ask.parts))
    return which === 'min' ? raiseTogether(ask, resource, min ?? 0, limit) : [];
  if (which === 'min') {
    if ((min ?? 0) >= limit) return [];
    return [
      [
        bound(resource, 'min', limit),
        ...(max !== undefined && max < limit ? [bound(resource, 'max', limit)] : []),
      ],
    ];
  }
  if (max === undefined) return [];
  const none: Change = { what: resource, bound: 'max', of: 0, to: undefined };
  return max < limit ? [[bound(resource, 'max', limit)], [none]] : [[none]];
}

/** What would have to be asked for to be handed each of the sizes of a destination. */
export function ofFlavours(ask: Ask, site: Site, flavours: readonly Flavour[]): Alternatives {
  return isOneMachine(ask.parts)
    ? flavours
        .map(({ cores, memory, gpus }): readonly Change[] => {
          const asked = ask.parts[0].gpus;
          const isCovered =
            asked === undefined
              ? gpus === undefined
              : gpus?.type === asked.type && gpus.count >= asked.count;
          return [
            ...within(ask, site, 'cores', cores),
            ...within(ask, site, 'memory', memory),
            ...(isCovered ? [] : [{ what: 'gpu' as const, of: 0, to: gpus }]),
          ];
        })
        .filter((changes) => changes.length > 0)
    : [];
}

/** Less of what was asked for; where nothing was, the site's default is held within a maximum. */
function lowerBound(
  ask: Ask,
  site: Site,
  resource: 'cores' | 'memory',
  limit: number,
  asked: number | undefined,
): Alternatives {
  const { min, max } = ask[resource];
  if (limit <= 0) return [];
  if (!isOneMachine(ask.parts)) return lowerTogether(ask, resource, asked ?? min ?? limit, limit);
  if (min !== undefined) return min > limit ? [[bound(resource, 'min', limit)]] : [];
  return site.defaults[resource] > limit && (max === undefined || max > limit)
    ? [[bound(resource, 'max', limit)]]
    : [];
}

function bound(resource: 'cores' | 'memory', which: 'min' | 'max', to: number): Change {
  return resource === 'cores'
    ? { what: resource, bound: which, of: 0, to: millicores(to) }
    : { what: resource, bound: which, of: 0, to: mebibytes(to) };
}

function fewerGpus(ask: Ask, limit: number): Alternatives {
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

/** What is not asked for takes the site's default, which only a maximum keeps lower. */
function within(
  ask: Ask,
  { defaults }: Site,
  resource: 'cores' | 'memory',
  size: number,
): readonly Change[] {
  const { min, max } = ask[resource];
  const isUnsaid =
    min === undefined && defaults[resource] > size && (max === undefined || max > size);
  return [
    ...(min !== undefined && min > size ? [bound(resource, 'min', size)] : []),
    ...(isUnsaid || (max !== undefined && max < size) ? [bound(resource, 'max', size)] : []),
  ];
}
