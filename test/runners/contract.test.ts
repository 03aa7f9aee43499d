import { join } from 'node:path';
import { hasEnvironment, readProcesses } from '../../src/runners/process/census.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { runnerContract } from './contract.ts';
import { removeRoot, temporaryRoot } from './workloads.ts';

runnerContract('process', async () => {
  const root = temporaryRoot();
  const jobsRoot = join(root, 'jobs');
  return {
    jobsRoot,
    open: () => processRunner({ jobsRoot, urls: { allowHosts: [], fileRoots: [] } }),
    isAlive: async (job) => readProcesses().some(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`)),
    close: async () => removeRoot(root),
  };
});
