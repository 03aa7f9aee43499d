import type { Flavour, Sizes, Steps } from '../site/sizes.ts';
import { isNonEmpty } from '../words/ids.ts';
import { mebibytes, millicores, type Millicores } from '../words/units.ts';
import type { Ask, ComputePart } from './ask.ts';
import type { Objection } from './objection.ts';
import type { Promised } from './offer.ts';
import { sharesOf, totalsOf, type Share } from './parts.ts';
import { coresOf, sizeOf, textOf } from './refusal.ts';

/** Cores (millicores) and memory (MiB). */
export type Limits = { readonly cores: number; readonly memory: number };

/** An amount as an elastic destination hands it out: at least the range's minimum, in whole steps. */
const upTo = (value: number, { min, step }: Steps<number>): number =>
  value <= min ? min : step === undefined ? value : min + Math.ceil((value - min) / step) * step;

type Sized = Pick<ComputePart, 'cores' | 'memory' | 'gpus'>;

const exactly = (cores: number, memory: number, gpus: ComputePart['gpus']): Sized => {
  const [c, m] = [millicores(cores), mebibytes(memory)];
  return { cores: { min: c, max: c }, memory: { min: m, max: m }, gpus };
};

type Paths = { readonly cores: string; readonly memory: string };

/** What is said of amounts that are above limits. */
const beyond = (given: Limits, most: Limits, asked: Limits, paths: Paths): readonly Objection[] => [
  ...(given.cores > most.cores ? [{ code: 'size-not-offered' as const, path: paths.cores, asked: coresOf(asked.cores), limit: coresOf(most.cores) }] : []),
  ...(given.memory > most.memory ? [{ code: 'size-not-offered' as const, path: paths.memory, asked: sizeOf(asked.memory), limit: sizeOf(most.memory) }] : []),
];

/** What an elastic destination hands out at least and at most to who needs so much and takes no more than the limits. */
export const inSteps = (
  { cores: { min: cores }, memory: { min: memory } }: Pick<Share, 'cores' | 'memory'>, limits: Limits, sizes: Extract<Sizes, { kind: 'elastic' }>, paths: Paths,
): { readonly least: Limits; readonly most: Limits } | readonly Objection[] => {
  const least = { cores: sizes.cores ? upTo(cores, sizes.cores) : cores, memory: sizes.memory ? upTo(memory, sizes.memory) : memory };
  const most = { cores: Math.min(limits.cores, sizes.cores?.max ?? Infinity), memory: Math.min(limits.memory, sizes.memory?.max ?? Infinity) };
  const objections = beyond(least, most, { cores, memory }, paths);
  return objections.length > 0 ? objections : { least, most };
};

const elasticSize = ({ part, cores, memory, gpus }: Share, sizes: Extract<Sizes, { kind: 'elastic' }>): Sized | readonly Objection[] => {
  const paths = { cores: `${part.path}.min-cores`, memory: `${part.path}.min-memory` };
  const given = inSteps({ cores, memory }, limitsOf(part), sizes, paths);
  return 'least' in given ? exactly(given.least.cores, given.least.memory, gpus) : given;
};

/** Whether a flavour has what is needed, and stays within the limits; one with GPUs is only for who asked for such. */
export const covers = (flavour: Flavour, { cores, memory, gpus }: Pick<Share, 'cores' | 'memory' | 'gpus'>, limits: Limits): boolean =>
  flavour.cores >= cores.min && flavour.memory >= memory.min && flavour.cores <= limits.cores && flavour.memory <= limits.memory
  && (gpus === undefined ? flavour.gpus === undefined : flavour.gpus?.type === gpus.type && flavour.gpus.count >= gpus.count);

/** What is said where no flavour covers what is needed. */
export const noFlavour = (path: string, cores: Millicores, flavours: readonly Flavour[]): Objection =>
  ({ code: 'size-not-offered', path, asked: coresOf(cores), limit: textOf(flavours.map(({ name }) => name).join(', ')), detail: 'The limit is the list of its flavours.' });

const limitsOf = ({ cores, memory }: ComputePart): Limits => ({ cores: cores.max ?? Infinity, memory: memory.max ?? Infinity });

const flavourSize = (share: Share, flavours: readonly Flavour[]): Sized | readonly Objection[] => {
  const found = flavours.find((flavour) => covers(flavour, share, limitsOf(share.part)));
  return found === undefined ? [noFlavour(`${share.part.path}.min-cores`, share.cores.min, flavours)] : exactly(found.cores, found.memory, found.gpus);
};

/**
 * The same promise with every machine in a size that the destination hands out, the smallest that does. Nothing of it grows:
 * a machine is as large as it was made.
 *
 * @param limits what the rules' bounds forbid the whole to go beyond
 */
export const sizedMachines = (
  least: Promised, limits: Limits, sizes: Exclude<Sizes, { kind: 'any' }>, { paths }: Ask,
): Promised | readonly Objection[] => {
  const each = sharesOf(least).map((share) => ({ share, size: sizes.kind === 'elastic' ? elasticSize(share, sizes) : flavourSize(share, sizes.flavours) }));
  const parts = each.flatMap(({ share: { part }, size }) => ('cores' in size ? [{ ...part, ...size }] : []));
  if (!isNonEmpty(parts) || parts.length < each.length) return each.flatMap(({ size }) => ('cores' in size ? [] : size));
  const { cores: { min: cores = least.cores.min }, memory: { min: memory = least.memory.min }, gpus } = totalsOf(parts);
  const objections = beyond({ cores, memory }, limits, { cores, memory }, paths);
  return objections.length > 0 ? objections : { ...least, parts, cores: { min: cores, max: cores }, memory: { min: memory, max: memory }, gpus };
};
