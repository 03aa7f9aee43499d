import { PLAIN } from '../../src/runners/process/start/isolation.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import { shell } from './workloads.ts';

/**
 * A separate executor that a test kills: `submitter.ts <jobsRoot> <own|service> <script> <wall
 * time> <best|rlimits>` submits one job, prints its id and waits.
 */
const [jobsRoot = '', users, script = '', wallTime, isolation] = process.argv.slice(2);
const runner = processRunner({
  jobsRoot,
  urls: { allowHosts: [], fileRoots: [] },
  ...(isolation === 'rlimits' ? { isolation: PLAIN } : {}),
  ...(users === 'service' ? { uids: 'service' } : {}),
});
const work = shell(script, { wallTime: Number(wallTime), memory: 100 });
await runner.submit(work);
process.stdout.write(`${work.job}\n`);
setInterval(() => {}, 60_000);
