import { PARALLEL_TYPES } from '../../tasks/task.ts';
import { containerVolumeProblem } from '../../tasks/volumes.ts';
import { isWorkflowType } from '../../workflows/languages.ts';
import { imageLack, PROGRAM_TEXT, workflows, type EngineKind } from '../engine-kind.ts';
import { imagesOf } from './image-terms.ts';
import type { ContainerEngineSettings } from './settings.ts';
import { interpreterLack } from './workflow.ts';

export const containerKind: EngineKind<ContainerEngineSettings> = {
  executes: {
    'oci-container': true,
    executable: true,
    'python-program': true,
    'jupyter-notebook': false,
    'helm-chart': false,
    ...workflows(true),
  },
  handsOutGpus: true,
  noBurst: 'the container runner gives a job what is kept for it and no more',
  parallel: { types: PARALLEL_TYPES, isUniform: false },
  startsByEnv: false,
  volumeProblem: () => containerVolumeProblem,
  grantsOutbound: ({ container }) => container.outbound !== undefined,
  lackOf: ({ container: { images }, workflows: terms, environments }, type) =>
    isWorkflowType(type)
      ? interpreterLack(terms, type)
      : type === 'python-program' && environments !== undefined
        ? undefined
        : imageLack(images, type, 'container.images'),
  environmentsOf: imagesOf,
  takesEnvironments: {
    builtIn: false,
    images: true,
    otherwise: ({ container: { images } }) =>
      images['python-program'] && 'container.images.python-program',
  },
  textLimitOf: () => PROGRAM_TEXT,
  devicesOf: ({ container }) => container.gpus,
  runsImagesHere: ({ container: { address } }) => address.kind === 'unix',
};
