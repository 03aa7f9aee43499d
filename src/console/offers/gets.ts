import type { Documents } from '../contract.ts';
import { shortTypeOf } from '../words/short-type.ts';

type Machine = Documents['ComputeItem'];

/** The amounts of an offer in words: `2 × 4 cores, 8 GiB, 1 GPU`. */
export function getsText(compute: readonly Machine[] = []): string {
  return compute.map(machineText).join(' + ');
}

function machineText(machine: Machine): string {
  const cores = machine['max-cores'] ?? machine['min-cores'];
  const memory = machine['max-memory'] ?? machine['min-memory'];
  const { gpu, replicas = 1 } = machine;
  const text = [
    ...(cores === undefined ? [] : [`${cores} ${cores === 1 ? 'core' : 'cores'}`]),
    ...(memory === undefined ? [] : [gibText(memory)]),
    ...(gpu === undefined ? [] : [`${gpu.count ?? 1} ${shortTypeOf(gpu.type)}`]),
  ].join(', ');
  return replicas === 1 ? text : `${replicas} × (${text})`;
}

/** Units are binary, as the contract says; `Gb` is its word for GiB. */
function gibText(size: string | number): string {
  return typeof size === 'number'
    ? `${size} GiB`
    : size.replace(/^([\d.]+)\s*([KMGTP])i?[bB]$/, '$1 $2iB');
}
