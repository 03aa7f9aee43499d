import type { EnvironmentTerms } from '../../environments/environment.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../../tasks/least-memory.ts';
import { processVolumeProblem, volumesWithout } from '../../tasks/volumes.ts';
import { isWorkflowType } from '../../workflows/languages.ts';
import { handsOverSteps, type WorkflowTerms } from '../../workflows/terms.ts';
import {
  lackUnless,
  PROGRAM_TEXT,
  workflowLack,
  workflows,
  type EngineKind,
} from '../engine-kind.ts';
import { HEAD } from './head.ts';
import type { SlurmSettings } from './settings.ts';

/** Podman on a node reads its mounts as comma-separated values. */
const volumeProblem = volumesWithout(',"', processVolumeProblem);

/** A cluster, with the interpreters that its nodes have at the same paths as this machine. */
export type SlurmEngine = {
  readonly slurm: SlurmSettings;
  readonly environments?: readonly EnvironmentTerms[];
  readonly workflows?: WorkflowTerms;
};

export const slurmKind: EngineKind<SlurmEngine> = {
  executes: {
    executable: true,
    'python-program': true,
    'jupyter-notebook': true,
    'oci-container': true,
    'helm-chart': false,
    ...workflows(true),
  },
  handsOutGpus: true,
  // Podman in a Slurm job hands no devices on to its container.
  noGpusFor: 'oci-container',
  noBurst: 'Slurm gives a job the cores and the memory that it is submitted with, and no more',
  parallel: {
    types: ['executable'],
    otherwise:
      'A container on one node of a cluster cannot start others on other nodes; a task of type ' +
      'executable can, with the MPI of the nodes.',
    isUniform: true,
  },
  startsByEnv: true,
  volumeProblem: () => volumeProblem,
  grantsOutbound: ({ slurm }) => slurm.container?.network !== undefined,
  environmentsOf: ({ environments }) => environments,
  takesEnvironments: {
    builtIn: false,
    made: true,
    otherwise: ({ slurm: { python, jupyter } }) =>
      python === undefined ? jupyter && 'slurm.jupyter' : 'slurm.python',
  },
  lackOf: (
    { slurm: { python, jupyter, container }, environments: [first] = [], workflows: terms },
    type,
  ) => {
    if (isWorkflowType(type)) return workflowLack(terms, type);
    switch (type) {
      case 'python-program':
        return lackUnless(python ?? first, {
          what: 'Python on the nodes',
          key: 'slurm.python',
          hint: 'the absolute path of an interpreter on the nodes',
        });
      case 'jupyter-notebook':
        return lackUnless(jupyter ?? first, {
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
  headOf: ({ workflows: terms }, type) => (handsOverSteps(terms, type) ? HEAD : undefined),
  leastMemoryOf: (_slurm, type) =>
    type === 'jupyter-notebook' ? NOTEBOOK_LEAST_MEMORY : undefined,
};
