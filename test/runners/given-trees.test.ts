import { lstatSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { processRunner } from '../../src/runners/process-runner.ts';
import type { Runner } from '../../src/runners/port.ts';
import { PLAIN } from '../../src/runners/process/start/isolation.ts';
import type { SlurmClient } from '../../src/runners/slurm/client.ts';
import { slurmRunner } from '../../src/runners/slurm-runner.ts';
import type { Stager } from '../../src/storage/stager.ts';
import { slurmSettings } from './slurm/settings.ts';
import { asRoot, removeRoot, shell, temporaryRoot } from './workloads.ts';

const root = temporaryRoot();
afterAll(() => removeRoot(root));

const outside = join(root, 'outside');
const urls = { allowHosts: [], fileRoots: [] };
/** A plug-in that brings a link to a file of the service. */
const stager: Stager = {
  load: async (_content, directory) => {
    symlinkSync(outside, join(directory, 'link'));
    return 0;
  },
  save: async () => undefined,
  release: async () => undefined,
};
const client: SlurmClient = {
  submit: async () => 1,
  jobs: async () => [],
  cancel: async () => undefined,
  predict: async () => undefined,
  probe: async () => undefined,
};
const settings = slurmSettings({
  access: { transport: 'cli', conf: undefined, bin: undefined },
  user: 'nobody',
});

const RUNNERS: Readonly<Record<string, (jobsRoot: string) => Runner>> = {
  slurm: (jobsRoot) => slurmRunner(settings, { jobsRoot, urls, stager }, client),
  process: (jobsRoot) => processRunner({ jobsRoot, urls, stager, isolation: PLAIN }),
};

(asRoot ? describe : describe.skip)('what a volume links to stays with its owner', () => {
  test.each(Object.entries(RUNNERS))('when a job of %s gets the volume', async (name, open) => {
    writeFileSync(outside, '');
    const jobsRoot = join(root, name);
    const runner = open(jobsRoot);
    const work = shell('true', {
      volumes: [{ name: 'data', path: 'data', mode: 'rw' }],
      contents: [
        { kind: 'external', name: 'data', source: { kind: 'plugin', name: 'links', spec: {} } },
      ],
    });
    await runner.submit(work);
    expect(lstatSync(join(jobsRoot, work.job, 'work/data/link')).uid).not.toBe(0);
    expect(statSync(outside).uid).toBe(0);
    await runner.close();
  });
});
