import { jest } from '@jest/globals';
import { join } from 'node:path';
import { containerRunner } from '../../src/runners/container-runner.ts';
import { inspect } from '../../src/runners/container/inspected.ts';
import { runnerContract } from '../runners/contract.ts';
import { openContainerEngine, PACKAGES } from './container.ts';
import { install } from './packages.ts';
import { withEngine } from './summary.ts';

jest.setTimeout(60_000);

for (const name of ['podman', 'docker'] as const) {
  withEngine(name, install(...PACKAGES[name]), () => {
    runnerContract(`container (${name})`, async () => {
      const engine = await openContainerEngine(name);
      const jobsRoot = join(engine.folder, 'jobs');
      return {
        jobsRoot,
        open: () => containerRunner({ jobsRoot, urls: { allowHosts: [], fileRoots: [], registries: [engine.registry] } }, engine.settings()),
        isAlive: async (job) => (await inspect(engine.api, job))?.phase === 'running',
        close: engine.close,
      };
    });
  });
}
