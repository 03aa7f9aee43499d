import { processRunner } from '../../src/runners/process-runner.ts';
import { shell } from './workloads.ts';

/**
 * An executor of its own, to be killed: `submitter.ts <jobsRoot> <own|service> <script> <wall time>` submits one job,
 * prints its id and waits.
 */
const [jobsRoot = '', users, script = '', wallTime] = process.argv.slice(2);
const runner = processRunner({
  jobsRoot,
  urls: { allowHosts: [], fileRoots: [] },
  ...(users === 'service' ? { uids: 'service' } : {}),
});
const work = shell(script, { wallTime: Number(wallTime), memory: 100 });
await runner.submit(work);
process.stdout.write(`${work.job}\n`);
setInterval(() => {}, 60_000);
