import { ARCHITECTURES, parseArchitecture, type Architecture } from '../../compute/arch.ts';
import { numberQuantity, textQuantity } from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import type { Notes } from './notes.ts';

const MOST_REPLICAS = 10_000;

/** A number of equal machines: 1 to 10,000. */
export function readReplicas(notes: Notes, replicas: number | undefined, path: string): number {
  if (replicas === undefined) return 1;
  if (replicas < 1)
    notes.note({ code: 'amount-not-positive', path, asked: numberQuantity(replicas) });
  if (replicas > MOST_REPLICAS)
    notes.note({
      code: 'amount-too-large',
      path,
      asked: numberQuantity(replicas),
      limit: numberQuantity(MOST_REPLICAS),
    });
  return Math.min(Math.max(replicas, 1), MOST_REPLICAS);
}

/** The architecture of processors. */
export function readArchitecture(
  notes: Notes,
  arch: string | undefined,
  path: string,
): Architecture | undefined {
  const known = arch === undefined ? undefined : parseArchitecture(arch);
  if (arch !== undefined && known === undefined)
    notes.note({
      code: 'unknown-arch',
      path,
      asked: textQuantity(shown(arch)),
      limit: textQuantity(ARCHITECTURES.join(', ')),
    });
  return known;
}
