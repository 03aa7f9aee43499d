import type { Flavour, Sizes, Steps } from '../site/sizes.ts';
import { isNonEmpty } from '../words/ids.ts';
import { mebibytes, millicores } from '../words/units.ts';
import type { Ask, ComputePart } from './ask.ts';
import type { Objection } from './objection.ts';
import type { Promised } from './offer.ts';
import { sharesOf, totalsOf, type Share } from './parts.ts';
import { coresOf, sizeOf, textOf } from './refusal.ts';

/** An amount as an elastic destination hands it out: at least the range's minimum, in whole steps. */
export const upTo = (value: number, { min, step }: Steps<number>): number =>
  value <= min ? min : step === undefined ? value : min + Math.ceil((value - min) / step) * step;

type Sized = Pick<ComputePart, 'cores' | 'memory' | 'gpus'>;

const exactly = (cores: number, memory: number, gpus: ComputePart['gpus']): Sized => {
  const [c, m] = [millicores(cores), mebibytes(memory)];
  return { cores: { min: c, max: c }, memory: { min: m, max: m }, gpus };
};

const elasticSize = ({ part, cores, memory, gpus }: Share, sizes: Extract<Sizes, { kind: 'elastic' }>): Sized | readonly Objection[] => {
  const given = { cores: sizes.cores ? upTo(cores.min, sizes.cores) : cores.min, memory: sizes.memory ? upTo(memory.min, sizes.memory) : memory.min };
  const most = { cores: Math.min(part.cores.max ?? Infinity, sizes.cores?.max ?? Infinity), memory: Math.min(part.memory.max ?? Infinity, sizes.memory?.max ?? Infinity) };
  const objections: readonly Objection[] = [
    ...(given.cores > most.cores ? [{ code: 'size-not-offered' as const, path: `${part.path}.min-cores`, asked: coresOf(cores.min), limit: coresOf(most.cores) }] : []),
    ...(given.memory > most.memory ? [{ code: 'size-not-offered' as const, path: `${part.path}.min-memory`, asked: sizeOf(memory.min), limit: sizeOf(most.memory) }] : []),
  ];
  return objections.length > 0 ? objections : exactly(given.cores, given.memory, gpus);
};

const isWithin = (flavour: Flavour, { part, cores, memory, gpus }: Share): boolean =>
  flavour.cores >= cores.min && flavour.memory >= memory.min && flavour.cores <= (part.cores.max ?? Infinity) && flavour.memory <= (part.memory.max ?? Infinity)
  && (gpus === undefined ? flavour.gpus === undefined : flavour.gpus?.type === gpus.type && flavour.gpus.count >= gpus.count);

const flavourSize = (share: Share, flavours: readonly Flavour[]): Sized | readonly Objection[] => {
  const found = flavours.find((flavour) => isWithin(flavour, share));
  if (found !== undefined) return exactly(found.cores, found.memory, found.gpus);
  const limit = textOf(flavours.map(({ name }) => name).join(', '));
  return [{ code: 'size-not-offered', path: `${share.part.path}.min-cores`, asked: coresOf(share.cores.min), limit, detail: 'The limit is the list of its flavours.' }];
};

/**
 * The same promise with every machine in a size that the destination hands out, the smallest that does. Nothing of it grows:
 * a machine is as large as it was made.
 *
 * @param limits what the rules' bounds forbid the whole to go beyond
 */
export const sizedMachines = (
  least: Promised, limits: { readonly cores: number; readonly memory: number }, sizes: Exclude<Sizes, { kind: 'any' }>, { paths }: Ask,
): Promised | readonly Objection[] => {
  const each = sharesOf(least).map((share) => ({ share, size: sizes.kind === 'elastic' ? elasticSize(share, sizes) : flavourSize(share, sizes.flavours) }));
  const parts = each.flatMap(({ share: { part }, size }) => ('cores' in size ? [{ ...part, ...size }] : []));
  if (!isNonEmpty(parts) || parts.length < each.length) return each.flatMap(({ size }) => ('cores' in size ? [] : size));
  const { cores: { min: cores = least.cores.min }, memory: { min: memory = least.memory.min }, gpus } = totalsOf(parts);
  const objections: readonly Objection[] = [
    ...(cores > limits.cores ? [{ code: 'size-not-offered' as const, path: paths.cores, asked: coresOf(cores), limit: coresOf(limits.cores) }] : []),
    ...(memory > limits.memory ? [{ code: 'size-not-offered' as const, path: paths.memory, asked: sizeOf(memory), limit: sizeOf(limits.memory) }] : []),
  ];
  return objections.length > 0 ? objections : { ...least, parts, cores: { min: cores, max: cores }, memory: { min: memory, max: memory }, gpus };
};
