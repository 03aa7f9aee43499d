import type { BatchJob, BatchSystem } from '../batch/system.ts';
import type { SlurmClient, SlurmJob } from './client.ts';
import { containerExplanation } from './container.ts';
import { reportScript } from './report.ts';
import { slurmPhaseOf } from './states.ts';

/** What srun, and so the mpirun of every MPI that knows Slurm, reads of its job. */
const OF_NODES = [
  'SLURM_CLUSTER_NAME',
  'SLURM_CONF',
  'SLURM_CPUS_ON_NODE',
  'SLURM_GTIDS',
  'SLURM_JOBID',
  'SLURM_JOB_CPUS_PER_NODE',
  'SLURM_JOB_NODELIST',
  'SLURM_JOB_NUM_NODES',
  'SLURM_JOB_PARTITION',
  'SLURM_LOCALID',
  'SLURM_MEM_PER_NODE',
  'SLURM_NNODES',
  'SLURM_NODEID',
  'SLURM_NODELIST',
  'SLURM_NPROCS',
  'SLURM_NTASKS',
  'SLURM_NTASKS_PER_NODE',
  'SLURM_PROCID',
  'SLURM_TASKS_PER_NODE',
  'SLURM_TASK_PID',
  'SLURM_TOPOLOGY_ADDR',
  'SLURM_TOPOLOGY_ADDR_PATTERN',
  'SLURM_WORKING_CLUSTER',
  'SLURMD_NODENAME',
];

/**
 * Slurm as a batch system.
 *
 * @param reached see {@link BatchSystem}
 */
export function slurmSystem(
  { submit, jobs, recall, cancel, probe }: SlurmClient,
  reached: string,
): BatchSystem {
  return {
    name: 'slurm',
    title: 'Slurm',
    reached,
    idVariable: 'SLURM_JOB_ID',
    given: ['SLURM_CONF', 'CUDA_VISIBLE_DEVICES', 'ROCR_VISIBLE_DEVICES', 'ZE_AFFINITY_MASK'],
    parallel: {
      hosts: 'scontrol show hostnames "$SLURM_JOB_NODELIST"',
      given: OF_NODES,
      report: { variable: 'SLURM_TASK_EPILOG', script: reportScript },
    },
    submit,
    jobs: async () => (await jobs()).map(jobOf),
    ...(recall && {
      recall: async (id: number) => {
        const kept = await recall(id);
        return kept && jobOf(kept);
      },
    }),
    cancel,
    probe,
    explain: containerExplanation,
  };
}

/** A state of a later version counts as running: a known state will follow. */
function jobOf(job: SlurmJob): BatchJob {
  return { ...job, phase: slurmPhaseOf(job.state) ?? 'running' };
}
