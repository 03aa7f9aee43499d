import { runsOf, type PromisedRun } from '../planner/judge/runs.ts';
import type { Promised } from '../planner/offer.ts';
import type { Assignment, Claim, Machine } from '../runners/port.ts';
import type { Content } from '../storage/content.ts';
import { seconds } from '../words/units.ts';
import type { ClaimedJob } from './claims/attempts.ts';

/**
 * The job as its engine gets it: the task, what was promised of each machine, and the claim under
 * which the engine may begin it.
 */
export function assignmentOf(
  { id, attempt, promise, executionS, startsAt }: ClaimedJob,
  { isHeld, stopped }: Pick<Claim, 'isHeld' | 'stopped'>,
): Assignment {
  const [first, ...more] = runsOf(promise);
  const contents = contentsOf(promise);
  const machineOf = (machine: PromisedRun, index: number): Machine => {
    const { cores, memory, guaranteed, scratch, gpus, volumes, allocation } = machine;
    return {
      limits: {
        cores,
        memory,
        scratch,
        wallTime: seconds(executionS),
        ...(guaranteed && { guaranteed }),
      },
      gpus,
      volumes,
      contents,
      ...(allocation && { allocation }),
      ...(allocation && { environment: { MACHINE_COUNT: String(allocation.length) } }),
      ...(more.length > 0 && { environment: environmentOf(machine, index, more.length + 1) }),
    };
  };
  return {
    job: id,
    claim: { attempt, isHeld, stopped },
    task: promise.task,
    interpreter: promise.environment?.name,
    startsAt,
    machines: [machineOf(first, 0), ...more.map((machine, index) => machineOf(machine, index + 1))],
  };
}

function contentsOf({ storage }: Promised): readonly Content[] {
  return storage.flatMap((item): readonly Content[] => (item.kind === 'ephemeral' ? [] : [item]));
}

/** How a program finds out which of several machines it is on. */
function environmentOf(
  { item, replica, replicas }: PromisedRun,
  index: number,
  count: number,
): Readonly<Record<string, string>> {
  return {
    MACHINE_INDEX: String(index),
    MACHINE_COUNT: String(count),
    ...(item !== undefined && { MACHINE_ITEM: item }),
    REPLICA_INDEX: String(replica),
    REPLICA_COUNT: String(replicas),
  };
}
