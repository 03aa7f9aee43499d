import { containerVolumeProblem } from '../../tasks/volumes.ts';
import { imageLack, PROGRAM_TEXT, type EngineKind } from '../engine-kind.ts';
import type { ContainerSettings } from './settings.ts';

export const containerKind: EngineKind<{ readonly container: ContainerSettings }> = {
  executes: {
    'oci-container': true,
    executable: true,
    'python-program': true,
    'jupyter-notebook': false,
    'helm-chart': false,
  },
  handsOutGpus: true,
  noBurst: 'the container runner gives a job what is kept for it and no more',
  startsByEnv: false,
  volumeProblem: () => containerVolumeProblem,
  grantsOutbound: ({ container }) => container.outbound !== undefined,
  lackOf: ({ container: { images } }, type) => imageLack(images, type, 'container.images'),
  textLimitOf: () => PROGRAM_TEXT,
  devicesOf: ({ container }) => container.gpus,
  runsImagesHere: ({ container: { address } }) => address.kind === 'unix',
};
