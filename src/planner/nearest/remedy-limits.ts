import type { SiteDestination } from '../../site/destination.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import {
  askedOrNeededIn,
  numberIn,
  type QuotaName,
  type RefusedResource,
  type Refusal,
} from '../refusal.ts';
import type { Change, Circumstance, Remedies } from './change.ts';
import { fitToFlavours, toLower, toRaise, type AskedResource } from './remedy-amounts.ts';
import { halvedTogether, otherFlavour, otherMachine, otherStep } from './remedy-items.ts';

/** The resource that an ask must change. Only its volumes determine its scratch space. */
const RESOURCES: Readonly<Record<RefusedResource | QuotaName, AskedResource | undefined>> = {
  cores: 'cores',
  memory: 'memory',
  gpus: 'gpus',
  scratch: 'storage',
  storage: 'storage',
  results: undefined,
  holds: undefined,
  jobs: undefined,
  'gpu-hours': undefined,
  share: undefined,
};

/** Down to the limit of the refusal. */
export function lowered({ ask, site }: Circumstance, refusal: Refusal): Remedies {
  const [resource, asked, limit] = [
    resourceOf(refusal),
    numberIn(askedOrNeededIn(refusal)),
    numberIn(refusal.limit),
  ];
  return resource === undefined || limit === undefined
    ? []
    : toLower(ask, site, resource, { place: refusal.place, asked, limit });
}

/** As much as a quota or a pool leaves. */
export function loweredToLeft(circumstance: Circumstance, refusal: Refusal): Remedies {
  return refusal.left === undefined
    ? []
    : lowered(circumstance, { ...refusal, limit: refusal.left });
}

/** Up to the limit of the refusal. */
export function raised({ ask }: Circumstance, refusal: Refusal, bound: 'min' | 'max'): Remedies {
  const [resource, limit] = [resourceOf(refusal), numberIn(refusal.limit)];
  return (resource === 'cores' || resource === 'memory') && limit !== undefined
    ? toRaise(ask, resource, bound, limit)
    : [];
}

/** Sizes that the destination has. */
export function otherSizes(
  circumstance: Circumstance,
  refusal: Refusal,
  { sizes }: SiteDestination,
): Remedies {
  const steps = sizes.kind === 'elastic' ? otherStep(circumstance.ask, refusal, sizes) : [];
  if (steps.length > 0) return steps;
  const ofMachine =
    sizes.kind === 'flavours'
      ? otherFlavour(circumstance.ask, refusal.place, sizes.flavours)
      : otherMachine(circumstance.ask, refusal.place, refusal.limit);
  if (ofMachine !== undefined) return ofMachine;
  if (sizes.kind === 'flavours')
    return fitToFlavours(circumstance.ask, circumstance.site, sizes.flavours);
  // The limit is the ask's maximum, or the largest size of the destination.
  return [...raised(circumstance, refusal, 'max'), ...lowered(circumstance, refusal)];
}

/** A rule does not tell its limit: try halves. */
export function halved({ ask, site: { defaults } }: Circumstance): Remedies {
  const {
    parts: [part, ...more],
    cores,
    memory,
  } = ask;
  if (more.length > 0 || part.replicas > 1) return halvedTogether(ask);
  const halves = (from: number | undefined, least: number): readonly number[] =>
    from === undefined
      ? []
      : [from / 2, from / 4, from / 8]
          .map(Math.ceil)
          .filter((value) => value >= least && value < from);
  return [
    ...halves(cores.min, Math.min(defaults.cores, 1000)).map((to): readonly Change[] => [
      { what: 'cores', bound: 'min', of: 0, to: millicores(to) },
    ]),
    ...halves(memory.min, Math.min(defaults.memory, 1024)).map((to): readonly Change[] => [
      { what: 'memory', bound: 'min', of: 0, to: mebibytes(to) },
    ]),
    ...(part.gpus === undefined ? [] : [[{ what: 'gpu' as const, of: 0, to: undefined }]]),
  ];
}

function resourceOf({ resource, quota }: Refusal): AskedResource | undefined {
  const short = quota ?? resource;
  return short && RESOURCES[short];
}
