import fc from 'fast-check';
import type { Site } from '../../../src/site/site.ts';
import { siteOf } from '../../harness/asks.ts';
import { gpusOf } from '../../harness/site.ts';
import { between, GPUS, HOUR, maybe, type Drawn } from './draws.ts';

/** Ids of the destinations of a drawn site. */
export const IDS = ['d0', 'd1', 'd2'] as const;
/** A destination: amounts in cores and GiB, times in hours from now. */
export const destination = fc.record({
  cores: between(1, 12),
  memory: between(2, 32),
  scratch: between(40, 200),
  gpus: maybe(fc.record({ type: fc.constantFrom(...GPUS), count: between(1, 3) })),
  sizes: fc.constantFrom('any' as const, 'flavours' as const, 'elastic' as const),
  closed: maybe(fc.record({ after: between(0, 20), hours: between(1, 12) })),
  prepare: fc.constantFrom('PT0S', 'PT10M'),
});
/** A reservation: cores with 2 GiB each, and hours from now. */
export const reservation = fc.record({
  destination: fc.constantFrom(...IDS),
  share: between(1, 4),
  after: between(-3, 20),
  hours: between(1, 12),
});

/** A site of the drawn destinations. */
export function siteFrom(drawn: readonly Drawn<typeof destination>[], now: number): Site {
  return siteOf(
    Object.fromEntries(
      drawn.map((one, index) => [
        `d${index}`,
        {
          cores: one.cores,
          memory: `${one.memory}GiB`,
          scratch: `${one.scratch}GiB`,
          prepare: one.prepare,
          ...sizesOf(one.sizes, one.cores, one.memory),
          ...(one.gpus === undefined ? {} : gpusOf({ [one.gpus.type]: one.gpus.count })),
          ...(one.closed === undefined ? {} : { maintenance: closedFrom(now, one.closed) }),
        },
      ]),
    ),
    { 'start-window': 'PT1M', release: 'PT1S', longest: 'P2D', horizon: 'P30D' },
  );
}

/** No size may be larger than the whole destination. */
function sizesOf(kind: 'any' | 'flavours' | 'elastic', cores: number, memory: number): object {
  if (kind === 'any') return {};
  if (kind === 'elastic')
    return {
      elastic: {
        cores: { min: 1, max: Math.min(cores, 6), step: 2 },
        memory: { min: '1GiB', max: `${Math.min(memory, 12)}GiB` },
      },
    };
  const all = [
    { name: 's', cores: 1, memory: 2 },
    { name: 'm', cores: 4, memory: 8 },
    { name: 'l', cores: 8, memory: 16 },
  ];
  return {
    flavours: all
      .filter((one) => one.cores <= cores && one.memory <= memory)
      .map((one) => ({ ...one, memory: `${one.memory}GiB` })),
  };
}

function closedFrom(now: number, { after, hours }: { after: number; hours: number }) {
  return [
    { start: new Date(now + after * HOUR).toISOString(), duration: `PT${hours}H`, reason: 'works' },
  ];
}
