import { NOTEBOOK_LEAST_MEMORY } from '../../tasks/least-memory.ts';
import { processVolumeProblem, volumesWithout } from '../../tasks/volumes.ts';
import { lackUnless, PROGRAM_TEXT, type EngineKind } from '../engine-kind.ts';
import type { SlurmSettings } from './settings.ts';

/** Podman on a node reads its mounts as comma-separated values. */
const volumeProblem = volumesWithout(',"', processVolumeProblem);

export const slurmKind: EngineKind<{ readonly slurm: SlurmSettings }> = {
  executes: {
    executable: true,
    'python-program': true,
    'jupyter-notebook': true,
    'oci-container': true,
    'helm-chart': false,
  },
  handsOutGpus: true,
  // Podman in a Slurm job hands no devices on to its container.
  noGpusFor: 'oci-container',
  noBurst: 'Slurm gives a job the cores and the memory that it is submitted with, and no more',
  startsByEnv: true,
  volumeProblem: () => volumeProblem,
  grantsOutbound: ({ slurm }) => slurm.container?.network !== undefined,
  lackOf: ({ slurm: { python, jupyter, container } }, type) => {
    switch (type) {
      case 'python-program':
        return lackUnless(python, {
          what: 'Python on the nodes',
          key: 'slurm.python',
          hint: 'the absolute path of an interpreter on the nodes',
        });
      case 'jupyter-notebook':
        return lackUnless(jupyter, {
          what: 'Jupyter on the nodes',
          key: 'slurm.jupyter',
          hint: 'the absolute path of a Python on the nodes that has Jupyter',
        });
      case 'oci-container':
        return lackUnless(container, {
          what: 'container engine on the nodes',
          key: 'slurm.container',
          hint: 'how the nodes run containers, for example slurm: { container: { store: /var/tmp } }',
        });
      case 'executable':
      case 'helm-chart':
        return undefined;
      default:
        return type satisfies never;
    }
  },
  textLimitOf: () => PROGRAM_TEXT,
  forecastOf: ({ slurm }) => slurm.forecast,
  isGuaranteed: ({ slurm }) => slurm.guarantee === 'reservation',
  leastMemoryOf: (_slurm, type) =>
    type === 'jupyter-notebook' ? NOTEBOOK_LEAST_MEMORY : undefined,
};
