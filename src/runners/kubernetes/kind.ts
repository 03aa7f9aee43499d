import { PARALLEL_TYPES } from '../../tasks/task.ts';
import { containerVolumeProblem, volumesWithout } from '../../tasks/volumes.ts';
import {
  imageLack,
  lackUnless,
  PROGRAM_TEXT,
  workflows,
  type EngineKind,
  type TextLimit,
} from '../engine-kind.ts';
import type { KubernetesSettings } from './settings.ts';

/** Kubernetes refuses a mountPath with a colon. */
const volumeProblem = volumesWithout(':', containerVolumeProblem);

/** etcd keeps objects of 1.5 MiB: JSON in which "$" is written twice. */
const OBJECT_TEXT: TextLimit = {
  ...PROGRAM_TEXT,
  sizeOf: (text) => Buffer.byteLength(JSON.stringify(text.replaceAll('$', '$$$$'))),
};

export const kubernetesKind: EngineKind<{ readonly kubernetes: KubernetesSettings }> = {
  executes: {
    'oci-container': true,
    executable: true,
    'python-program': true,
    'helm-chart': true,
    'jupyter-notebook': false,
    ...workflows(false),
  },
  handsOutGpus: true,
  parallel: {
    types: PARALLEL_TYPES,
    // Nobody knows the entry point of an image before its pod is there.
    lackOf: (task) =>
      task.type === 'oci-container' && task.entrypoint === undefined
        ? 'A shell starts it there: the container has to name its entrypoint.'
        : undefined,
    isUniform: true,
  },
  startsByEnv: false,
  noArchives: 'The nodes of a cluster take images from registries only.',
  volumeProblem: () => volumeProblem,
  grantsOutbound: ({ kubernetes }) => kubernetes.outbound,
  lackOf: ({ kubernetes: { images, charts } }, type) =>
    type === 'helm-chart'
      ? lackUnless(charts, {
          what: 'charts',
          key: 'kubernetes.charts',
          hint: 'how charts are rendered, for example charts: { helm: /usr/local/bin/helm }',
        })
      : imageLack(images, type, 'kubernetes.images'),
  textLimitOf: () => OBJECT_TEXT,
};
