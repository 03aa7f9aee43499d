import { processVolumeProblem } from '../../tasks/volumes.ts';
import { lackUnless, PROGRAM_TEXT, type EngineKind } from '../engine-kind.ts';
import { DEFAULT_PROCESS_SETTINGS, type ProcessJobSettings } from './settings.ts';

/** Programs of this machine. `python`: of the whole site; undefined: no Python programs. */
export type ProcessEngine = {
  readonly python: string | undefined;
  readonly process?: ProcessJobSettings;
};

export const processKind: EngineKind<ProcessEngine> = {
  executes: {
    executable: true,
    'python-program': true,
    'jupyter-notebook': false,
    'oci-container': false,
    'helm-chart': false,
  },
  handsOutGpus: true,
  startsByEnv: true,
  volumeProblem: () => processVolumeProblem,
  lackOf: ({ python }, type) =>
    type === 'python-program'
      ? lackUnless(python, {
          what: 'Python',
          key: 'runners.process.python',
          isOfSite: true,
          hint: 'the path of a Python interpreter, or runner: notebook, which brings its own',
        })
      : undefined,
  textLimitOf: () => PROGRAM_TEXT,
  devicesOf: ({ process = DEFAULT_PROCESS_SETTINGS }) => process.gpus,
  onThisMachine: ({ process = DEFAULT_PROCESS_SETTINGS }) => ({
    wish: process.isolation,
    isConfined: false,
  }),
};
