import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasEnvironment, readProcesses } from '../../src/runners/process/supervise/processes.ts';
import { cgroupOf } from '../../src/runners/process/cgroup/cgroup.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { runnerContract } from './contract.ts';
import { isolations } from './process/isolations.ts';
import { removeRoot, temporaryRoot } from './workloads.ts';

for (const [name, isolation] of isolations) {
  runnerContract(`process (${name})`, async () => {
    const root = temporaryRoot();
    const jobsRoot = join(root, 'jobs');
    const hasCgroup = (job: string): boolean =>
      isolation.cgroups !== undefined && existsSync(cgroupOf(isolation.cgroups, job).pids);
    return {
      jobsRoot,
      open: () => processRunner({ jobsRoot, isolation, urls: { allowHosts: [], fileRoots: [] } }),
      isAlive: async (job) =>
        hasCgroup(job) ||
        readProcesses().some(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`)),
      close: async () => removeRoot(root),
    };
  });
}
