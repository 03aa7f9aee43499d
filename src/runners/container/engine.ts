import type { EngineDefinition } from '../engine-definition.ts';
import { containerKind } from './kind.ts';
import { readContainer } from './read.ts';
import type { ContainerEngineSettings } from './settings.ts';

/** Docker and Podman. */
export const containerEngine: EngineDefinition<ContainerEngineSettings> = {
  kind: containerKind,
  read: (at) => {
    const container = readContainer(at);
    return container && { container };
  },
  open: async ({ container, workflows, environments }, local) => {
    const { containerRunner } = await import('../container-runner.ts');
    return containerRunner(local, { ...container, workflows, environments });
  },
};
