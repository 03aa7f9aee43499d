import type { Ask, Bounds } from '../../../src/planner/ask.ts';
import { machinesOf, type PromisedMachine } from '../../../src/planner/judge/parts.ts';
import { amountOf, type Proposal } from '../../../src/planner/offer.ts';
import type { SiteDestination } from '../../../src/site/destination.ts';

/** An offer or a proposal, with its held amount. */
export type Measured = Pick<Proposal, 'promised'> & Partial<Pick<Proposal, 'amount'>>;

/**
 * The faults of an offer's machines: each must match its item and the destination's sizes, and
 * together they must equal the held amount.
 */
export function faultsOf(
  { parts }: Ask,
  { promised, amount = amountOf(promised) }: Measured,
  destination: SiteDestination | undefined,
): readonly string[] {
  const machines = machinesOf(promised);
  const items = parts.flatMap((part) => Array.from({ length: part.replicas }, () => part));
  const each = machines.flatMap((machine, index) => {
    const item = items[index];
    const fits =
      item !== undefined &&
      isWithin(machine.cores, item.cores) &&
      isWithin(machine.memory, item.memory) &&
      (machine.gpus?.count ?? 0) >= (item.gpus?.count ?? 0) &&
      (item.gpus === undefined || machine.gpus?.type === item.gpus.type);
    return [
      ...(fits ? [] : [`machine ${index} is not what was asked`]),
      ...(destination !== undefined && isShaped(machine, destination)
        ? []
        : [`machine ${index} is of no size on offer`]),
    ];
  });
  const sum = (of: (machine: PromisedMachine) => number): number =>
    machines.reduce((total, machine) => total + of(machine), 0);
  // An amount that cannot be divided among replicas is left over.
  const isHeld = (given: number, held: number): boolean =>
    given <= held && given > held - machines.length;
  const isWhole =
    machines.length === items.length &&
    isHeld(
      sum(({ cores }) => cores),
      amount.cores,
    ) &&
    isHeld(
      sum(({ memory }) => memory),
      amount.memory,
    ) &&
    isHeld(
      sum(({ scratch }) => scratch),
      amount.scratch,
    ) &&
    sum(({ gpus }) => gpus?.count ?? 0) === (amount.gpus?.count ?? 0);
  return [
    ...each,
    ...(isWhole
      ? []
      : [`all machines are ${JSON.stringify(machines)} and not ${JSON.stringify(amount)}`]),
  ];
}

function isWithin(value: number, { min = 0, max = Infinity }: Bounds<number>): boolean {
  return min <= value && value <= max;
}

/** Does a machine have a size of the destination? */
function isShaped({ cores, memory, gpus }: PromisedMachine, { sizes }: SiteDestination): boolean {
  if (sizes.kind === 'any' || sizes.kind === 'burst') return true;
  if (sizes.kind === 'flavours')
    return sizes.flavours.some(
      (one) => one.cores === cores && one.memory === memory && one.gpus?.count === gpus?.count,
    );
  const steps = (
    value: number,
    range: { min: number; max: number; step: number | undefined } | undefined,
  ): boolean =>
    range === undefined ||
    (isWithin(value, range) && (value - range.min) % (range.step ?? 1) === 0);
  return steps(cores, sizes.cores) && steps(memory, sizes.memory);
}
