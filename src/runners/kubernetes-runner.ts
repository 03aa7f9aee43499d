import { accessSync, constants } from 'node:fs';
import { openCluster, type Cluster } from './kubernetes/cluster.ts';
import { clusterRunner } from './kubernetes/runner.ts';
import type { KubernetesSettings } from './kubernetes/settings.ts';
import type { Runner } from './port.ts';
import { prepareHost, type LocalSettings } from './process/start/host.ts';

/**
 * The runner for Kubernetes: jobs are Jobs of one namespace, whose nodes mount the
 * directory of jobs from a claim.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change
 */
export function kubernetesRunner(local: LocalSettings, settings: KubernetesSettings): Runner {
  mustRead(settings.kubeconfig, 'kubeconfig');
  mustRead(settings.charts?.helm, 'charts.helm', constants.X_OK);
  return clusterRunner({ jobHost: prepareHost(local), settings }, later(settings));
}

function mustRead(file: string | undefined, key: string, mode = constants.R_OK): void {
  if (file === undefined) return;
  try {
    accessSync(file, mode);
  } catch (error) {
    throw new Error(
      `kubernetes.${key}: ${file} cannot be ${mode === constants.X_OK ? 'run' : 'read'}`,
      { cause: error },
    );
  }
}

/** A cluster that is opened by the first call, since the client takes half a second to load. */
function later(settings: KubernetesSettings): Cluster {
  let opened: Promise<Cluster> | undefined;
  const open = (): Promise<Cluster> => {
    opened ??= openCluster(settings).catch((error: unknown) => {
      // The next call reads the kubeconfig again, which may just be replaced.
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    create: async (...words) => (await open()).create(...words),
    allow: async (...words) => (await open()).allow(...words),
    removeJob: async (...words) => (await open()).removeJob(...words),
    jobs: async (...words) => (await open()).jobs(...words),
    pods: async (...words) => (await open()).pods(...words),
    complaint: async (...words) => (await open()).complaint(...words),
    remove: async (...words) => (await open()).remove(...words),
    removePod: async (...words) => (await open()).removePod(...words),
    limit: async (...words) => (await open()).limit(...words),
    log: async (...words) => (await open()).log(...words),
    version: async (...words) => (await open()).version(...words),
    watch: async (...words) => (await open()).watch(...words),
  };
}
