import { shortages, type Capacity, type ResourceKind } from '../../schedule/amount.ts';
import type { Ask } from '../ask.ts';
import { saidOf, saidScratch } from '../judge/parts.ts';
import { amountOf } from '../offer.ts';
import { placeOfAmount } from '../place.ts';
import { compared, type Refusal } from '../refusal.ts';
import type { DestinationAtTime } from './fit.ts';

/** Every resource of which a destination has less than the smallest size takes. */
export function shortOf(
  ask: Ask,
  { suitable }: DestinationAtTime,
  code: Refusal['code'],
  has: Capacity,
): readonly Refusal[] {
  const [least] = suitable.sizes;
  return shortages(amountOf(least), has).map(({ resource, asked }) => ({
    code,
    place: placeOfAmount(ask, resource),
    destination: suitable.id,
    ...compared(resource, asked, limitOf(resource, has, least.gpus?.type), saidIn(ask, resource)),
  }));
}

function limitOf(resource: ResourceKind, has: Capacity, gpuType: string | undefined): number {
  return resource === 'gpus' ? (has.gpus.get(gpuType ?? '') ?? 0) : has[resource];
}

/** What the ask itself says of an amount. */
function saidIn(ask: Ask, resource: ResourceKind): number | undefined {
  switch (resource) {
    case 'cores':
    case 'memory':
      return saidOf(ask, resource);
    case 'gpus':
      return ask.gpus?.count;
    case 'scratch':
      return saidScratch(ask);
    default:
      return resource satisfies never;
  }
}
