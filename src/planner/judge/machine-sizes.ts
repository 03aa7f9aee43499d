import type { Flavour, Sizes, Steps } from '../../site/sizes.ts';
import { isNonEmpty } from '../../words/ids.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import type { Ask, ComputePart } from '../ask.ts';
import type { Objection } from './objection.ts';
import type { Promised } from '../offer.ts';
import { isOneMachine, saidOf, sharesOf, totalsOf, type MachineShare } from './parts.ts';
import { compared, textQuantity, askedOrNeeded } from '../refusal.ts';

/** Cores (millicores) and memory (MiB). */
export type SizeLimits = { readonly cores: number; readonly memory: number };

type Sized = Pick<ComputePart, 'cores' | 'memory' | 'gpus'>;

/** A part of an ask, or all parts, and the cores and memory that it names. */
type Asked = {
  readonly part: number | 'all';
  readonly said: { readonly cores: number | undefined; readonly memory: number | undefined };
};

/** The amounts of a whole ask. */
export function askedOfWhole(ask: Ask): Asked {
  return {
    part: isOneMachine(ask.parts) ? 0 : 'all',
    said: { cores: saidOf(ask, 'cores'), memory: saidOf(ask, 'memory') },
  };
}

const RESOURCES = ['cores', 'memory'] as const;

/** The least and the most that an elastic destination gives to a machine within the limits. */
export function elasticRange(
  { cores: { min: cores }, memory: { min: memory } }: Pick<MachineShare, 'cores' | 'memory'>,
  limits: SizeLimits,
  sizes: Extract<Sizes, { kind: 'elastic' }>,
  asked: Asked,
): { readonly least: SizeLimits; readonly most: SizeLimits } | readonly Objection[] {
  const least = {
    cores: sizes.cores ? steppedUp(cores, sizes.cores) : cores,
    memory: sizes.memory ? steppedUp(memory, sizes.memory) : memory,
  };
  const most = {
    cores: Math.min(limits.cores, sizes.cores?.max ?? Infinity),
    memory: Math.min(limits.memory, sizes.memory?.max ?? Infinity),
  };
  const objections = excessObjections({ cores, memory }, least, most, asked);
  return objections.length > 0 ? objections : { least, most };
}

/**
 * Does a flavour have what a machine needs, and keep to the limits? Flavours with GPUs are only for
 * machines that need them.
 */
export function isCoveredBy(
  flavour: Flavour,
  { cores, memory, gpus }: Pick<MachineShare, 'cores' | 'memory' | 'gpus'>,
  limits: SizeLimits,
): boolean {
  return (
    flavour.cores >= cores.min &&
    flavour.memory >= memory.min &&
    flavour.cores <= limits.cores &&
    flavour.memory <= limits.memory &&
    coversGpus(flavour, gpus)
  );
}

/**
 * Why no flavour covers a machine: the resources of which every flavour has too little or too much;
 * if there is none, that no flavour has enough of everything.
 */
export function flavourObjections(
  share: Pick<MachineShare, 'cores' | 'memory' | 'gpus'>,
  limits: SizeLimits,
  flavours: readonly Flavour[],
  { part, said }: Asked,
): readonly Objection[] {
  const objection = {
    code: 'size-not-offered' as const,
    limit: textQuantity(flavours.map(({ name }) => name).join(', ')),
    detail: 'The limit is the list of its flavours.',
  };
  const { gpus } = share;
  const lacking = RESOURCES.filter((resource) =>
    flavours.every(({ [resource]: has }) => has < share[resource].min || has > limits[resource]),
  ).map((resource): Objection => ({
    ...objection,
    place: { what: resource, bound: 'min', part },
    ...askedOrNeeded(resource, share[resource].min, said[resource]),
  }));
  const hasNone = gpus !== undefined && flavours.every((flavour) => !coversGpus(flavour, gpus));
  const all = [
    ...lacking,
    ...(hasNone
      ? [
          {
            ...objection,
            place: { what: 'gpus' as const, part },
            ...askedOrNeeded('gpus', gpus.count, gpus.count),
          },
        ]
      : []),
  ];
  return all.length > 0
    ? all
    : [
        {
          ...objection,
          place: { what: 'cores', bound: 'min', part },
          ...askedOrNeeded('cores', share.cores.min, said.cores),
          detail:
            'The limit is the list of its flavours, of which none has all that is needed together.',
        },
      ];
}

/**
 * The same promise with every machine in the smallest size of the destination that covers it.
 * Machines do not grow.
 *
 * @param limits of all machines together, by the bounds of the rules
 */
export function sizedMachines(
  least: Promised,
  limits: SizeLimits,
  sizes: Extract<Sizes, { kind: 'elastic' | 'flavours' }>,
  ask: Ask,
): Promised | readonly Objection[] {
  const each = sharesOf(least).map((share, index) => ({
    share,
    size:
      sizes.kind === 'elastic'
        ? elasticSize(share, index, sizes)
        : flavourSize(share, index, sizes.flavours),
  }));
  const parts = each.flatMap(({ share: { part }, size }) =>
    'cores' in size ? [{ ...part, ...size }] : [],
  );
  if (!isNonEmpty(parts) || parts.length < each.length)
    return each.flatMap(({ size }) => ('cores' in size ? [] : size));
  const {
    cores: { min: cores = least.cores.min },
    memory: { min: memory = least.memory.min },
    gpus,
  } = totalsOf(parts);
  const objections = excessObjections(
    { cores: least.cores.min, memory: least.memory.min },
    { cores, memory },
    limits,
    askedOfWhole(ask),
  );
  return objections.length > 0
    ? objections
    : {
        ...least,
        parts,
        cores: { min: cores, max: cores },
        memory: { min: memory, max: memory },
        gpus,
      };
}

/** An amount of an elastic destination: at least the minimum of its range, in whole steps. */
function steppedUp(value: number, { min, step }: Steps<number>): number {
  return value <= min
    ? min
    : step === undefined
      ? value
      : min + Math.ceil((value - min) / step) * step;
}

/** Why amounts are above the limits: the needed amount is, or only the next larger size. */
function excessObjections(
  needed: SizeLimits,
  given: SizeLimits,
  most: SizeLimits,
  { part, said }: Asked,
): readonly Objection[] {
  return RESOURCES.filter((resource) => given[resource] > most[resource]).map(
    (resource): Objection =>
      needed[resource] > most[resource]
        ? {
            code: 'size-not-offered',
            place: { what: resource, bound: 'min', part },
            ...compared(resource, needed[resource], most[resource], said[resource]),
          }
        : {
            code: 'size-not-offered',
            place: { what: resource, bound: 'min', part },
            ...compared(resource, given[resource], most[resource], undefined),
            detail: 'The next smaller size has less than is asked for.',
          },
  );
}

function coversGpus(flavour: Flavour, gpus: ComputePart['gpus']): boolean {
  return gpus === undefined
    ? flavour.gpus === undefined
    : flavour.gpus?.type === gpus.type && flavour.gpus.count >= gpus.count;
}

function elasticSize(
  { part, cores, memory, gpus }: MachineShare,
  index: number,
  sizes: Extract<Sizes, { kind: 'elastic' }>,
): Sized | readonly Objection[] {
  const given = elasticRange({ cores, memory }, limitsOf(part), sizes, askedOfPart(part, index));
  return 'least' in given ? fixedSize(given.least.cores, given.least.memory, gpus) : given;
}

function limitsOf({ cores, memory }: ComputePart): SizeLimits {
  return { cores: cores.max ?? Infinity, memory: memory.max ?? Infinity };
}

/** The amounts of each machine of an item. */
function askedOfPart({ cores, memory }: ComputePart, part: number): Asked {
  return { part, said: { cores: cores.min, memory: memory.min } };
}

function fixedSize(cores: number, memory: number, gpus: ComputePart['gpus']): Sized {
  const [c, m] = [millicores(cores), mebibytes(memory)];
  return { cores: { min: c, max: c }, memory: { min: m, max: m }, gpus };
}

function flavourSize(
  share: MachineShare,
  index: number,
  flavours: readonly Flavour[],
): Sized | readonly Objection[] {
  const found = flavours.find((flavour) => isCoveredBy(flavour, share, limitsOf(share.part)));
  return found === undefined
    ? flavourObjections(share, limitsOf(share.part), flavours, askedOfPart(share.part, index))
    : fixedSize(found.cores, found.memory, found.gpus);
}
