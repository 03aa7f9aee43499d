import type { KubernetesSettings } from '../../../src/runners/kubernetes/settings.ts';
import { seconds, type Seconds } from '../../../src/words/units.ts';

/** Settings of a namespace with nothing but what a site must name. */
export function kubernetesSettings(unreachableLimit: Seconds): KubernetesSettings {
  return {
    kubeconfig: undefined,
    context: undefined,
    namespace: 'vo',
    claim: { name: 'jobs', folder: '' },
    outbound: false,
    runtimeClass: undefined,
    priorityClass: undefined,
    pullSecrets: [],
    nodeSelector: {},
    tolerations: [],
    gpus: {},
    pull: 'missing',
    pullLimit: seconds(60),
    longestWait: seconds(60),
    unreachableLimit,
    images: { executable: undefined, 'python-program': undefined },
    charts: undefined,
  };
}
