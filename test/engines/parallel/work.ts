import type { Workload } from '../../../src/runners/port.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { shell } from '../../runners/workloads.ts';

/** A parallel job of sh on two equal machines, which have its cores and memory together. */
export function parallel(
  script: string,
  { gpus, ...more }: Parameters<typeof shell>[1] & Partial<Pick<Workload, 'gpus'>> = {},
): Workload {
  const work = { ...shell(script, more), gpus };
  const machine = {
    cores: millicores(work.limits.cores / 2),
    memory: mebibytes(work.limits.memory / 2),
    gpus: work.gpus,
  };
  return { ...work, allocation: [machine, machine] };
}
