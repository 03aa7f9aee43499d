import { isParallel } from '../../tasks/task.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { mebibytes, millicores } from '../../words/units.ts';
import type { Promised } from '../offer.ts';
import { machinesOf, type PromisedMachine } from './parts.ts';

/** What an engine starts once: a machine of a promise, or all machines of a parallel job. */
export type PromisedRun = PromisedMachine & {
  /** of a parallel job */
  readonly allocation?: NonEmpty<PromisedMachine>;
};

/** The runs of a promise. */
export function runsOf(promised: Promised): NonEmpty<PromisedRun> {
  const machines = machinesOf(promised);
  if (!isParallel(promised.task)) return machines;
  const held = machines.map((machine) => machine.guaranteed ?? machine);
  const [first] = machines;
  return [
    {
      item: undefined,
      replica: 0,
      replicas: 1,
      cores: millicores(sumOf(machines, 'cores')),
      memory: mebibytes(sumOf(machines, 'memory')),
      guaranteed: first.guaranteed && {
        cores: millicores(sumOf(held, 'cores')),
        memory: mebibytes(sumOf(held, 'memory')),
      },
      scratch: promised.scratch,
      gpus: promised.gpus,
      // All items that have volumes have the same.
      volumes: machines.find(({ volumes }) => volumes.length > 0)?.volumes ?? [],
      allocation: machines,
    },
  ];
}

function sumOf(
  machines: readonly { readonly cores: number; readonly memory: number }[],
  resource: 'cores' | 'memory',
): number {
  return machines.reduce((sum, { [resource]: amount }) => sum + amount, 0);
}
