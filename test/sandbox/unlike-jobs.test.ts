import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { productionFiles } from '../bench/vortex/files.ts';
import { growingSite } from '../bench/vortex/growth.ts';
import { differentJobs } from '../bench/vortex/jobs.ts';

const site = productionFiles() === undefined ? 'a made-up site' : 'usegalaxy.eu';

/*
 * What is remembered between decisions must not fill the isolate. Each of these jobs leaves 38 kB
 * behind with the files of usegalaxy.eu, so that without a bound 3,000 would need 114 MB; the
 * isolate has the default of 64 MB.
 */
describe(`the rules of ${site}, in the default memory of a sandbox`, () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = openSandbox({ jit: 'always', decisionMs: 10_000, loadMs: 60_000 });
    const report = await sandbox.load(productionFiles() ?? [growingSite(300, 1_000)]);
    if (report.kind !== 'loaded') throw new Error(`the rules do not load: ${report.kind}`);
  });
  afterAll(() => sandbox.close());

  test('decide 3,000 different jobs, and the process is still the first one', async () => {
    const pid = sandbox.pid();
    const jobs = differentJobs(3_000).values();
    const failed: unknown[] = [];
    const ask = async (): Promise<void> => {
      for (const job of jobs) {
        const answer = await sandbox.map(job, { seed: 1, now: 0 }, false);
        if (answer.kind === 'sandbox') failed.push(answer);
      }
    };
    await Promise.all(Array.from({ length: 8 }, ask));
    expect(failed).toEqual([]);
    expect(sandbox.pid()).toBe(pid);
    expect(sandbox.stats()).toMatchObject({ decisions: 3_000, respawns: 0, outOfMemory: 0 });
  });
});
