import { inspect } from '../../../src/runners/container/api/inspected.ts';
import { runnerContract } from '../../runners/contract.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { openBench } from './bench.ts';
import { containerPromises } from './container-promises.ts';
import { PACKAGES, type ContainerEngine } from './container.ts';
import { imagePromises } from './image-promises.ts';
import { servicePromises } from './service-promises.ts';

for (const name of ['podman', 'docker'] as const)
  withEngine(name, needs(...PACKAGES[name]), () => containers(name));

function containers(name: ContainerEngine['name']): void {
  const bench = openBench(name);
  containerPromises(bench);
  imagePromises(bench);
  servicePromises(bench);
  runnerContract(`container (${name})`, async () => ({
    jobsRoot: bench.jobsRoot,
    open: bench.open,
    isAlive: async (job) => (await inspect(bench.engine.api, job))?.phase === 'running',
    close: async () => undefined,
  }));
}
