// The promises of every runner, checked with `npm test`.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openContract } from 'execution-planner/plugin/contract';
import { openPluginRunner } from 'execution-planner/plugin/open-runner';

const root = mkdtempSync('/var/tmp/new-engine-');
// Jobs have users of their own where the test is root.
chmodSync(root, 0o711);
const jobsRoot = join(root, 'jobs');

const contract = openContract(async () => ({
  jobsRoot,
  open: () =>
    openPluginRunner({
      plugins: join(import.meta.dirname, '..'),
      folder: 'new-engine',
      name: 'new-engine',
      settings: {},
      jobsRoot,
    }),
  isAlive: async (job) => isAlive(job),
  close: async () => rmSync(root, { recursive: true, force: true }),
}));

for (const { name, run, limit } of contract.promises) test(name, { timeout: limit }, run);
after(contract.close);

/** @param {string} job */
function isAlive(job) {
  const mark = `PLANNER_JOB_ID=${job}`;
  const script = 'grep -lszxF "$1" /proc/[0-9]*/environ || true';
  return execFileSync('sh', ['-c', script, 'sh', mark], { encoding: 'utf8' }).trim() !== '';
}
