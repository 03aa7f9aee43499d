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

/** Of which part of an ask, or of all, and what that says itself of cores and memory. */
type Asked = {
  readonly part: number | 'all';
  readonly said: { readonly cores: number | undefined; readonly memory: number | undefined };
};

/** Of a whole ask. */
export function askedOfWhole(ask: Ask): Asked {
  return {
    part: isOneMachine(ask.parts) ? 0 : 'all',
    said: { cores: saidOf(ask, 'cores'), memory: saidOf(ask, 'memory') },
  };
}

const RESOURCES = ['cores', 'memory'] as const;

/**
 * What an elastic destination hands out at least and at most to who needs so much and
 * takes no more than the limits.
 */
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
 * Whether a flavour has what is needed, and stays within the limits; one with GPUs
 * is only for who asked for such.
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
 * What is said where no flavour covers what is needed: of what none has enough, or all too much;
 * else that no one does in everything.
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
 * The same promise with every machine in a size that the destination hands out, the smallest that
 * does. Nothing of it grows: a machine is as large as it was made.
 *
 * @param limits what the rules' bounds forbid the whole to go beyond
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

/**
 * An amount as an elastic destination hands it out: at least the range's minimum, in whole steps.
 */
function steppedUp(value: number, { min, step }: Steps<number>): number {
  return value <= min
    ? min
    : step === undefined
      ? value
      : min + Math.ceil((value - min) / step) * step;
}

/** What is said of amounts that are above limits: as needed, or only as they are handed out. */
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

/** Of each machine of an item. */
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
