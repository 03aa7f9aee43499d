import { containerRunner } from '../../../src/runners/container-runner.ts';
import { parseReference } from '../../../src/tasks/image.ts';
import { seconds } from '../../../src/words/units.ts';
import { shell } from '../../runners/workloads.ts';

/**
 * A separate executor that a test kills: `submitter.ts <jobsRoot> <socket> <image> <script>`
 * submits one job, prints its id and waits.
 */
const [jobsRoot = '', path = '', image = '', script = ''] = process.argv.slice(2);
const runner = containerRunner(
  { jobsRoot, urls: { allowHosts: [], fileRoots: [] } },
  {
    address: { kind: 'unix', path },
    runtime: undefined,
    user: 'job',
    outbound: undefined,
    auth: undefined,
    pull: 'missing',
    pullLimit: seconds(60),
    unreachableLimit: seconds(60),
    tasks: 100,
    gpus: {},
    images: { executable: parseReference(image), 'python-program': undefined },
  },
);
const work = shell(script);
await runner.submit(work);
process.stdout.write(`${work.job}\n`);
setInterval(() => {}, 60_000);
