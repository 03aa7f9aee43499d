import type { EngineDefinition } from '../engine-definition.ts';
import { kubernetesKind } from './kind.ts';
import { readKubernetes } from './read.ts';
import type { KubernetesSettings } from './settings.ts';

/** Clusters with Kubernetes. */
export const kubernetesEngine: EngineDefinition<{ readonly kubernetes: KubernetesSettings }> = {
  kind: kubernetesKind,
  read: (at) => {
    const kubernetes = readKubernetes(at);
    return kubernetes && { kubernetes };
  },
  open: async ({ kubernetes }, local) => {
    const { kubernetesRunner } = await import('../kubernetes-runner.ts');
    return kubernetesRunner(local, kubernetes);
  },
};
