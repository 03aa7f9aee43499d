import type { EnvironmentTerms } from '../../environments/environment.ts';
import { processVolumeProblem } from '../../tasks/volumes.ts';
import { isWorkflowType } from '../../workflows/languages.ts';
import type { WorkflowTerms } from '../../workflows/terms.ts';
import {
  lackUnless,
  PROGRAM_TEXT,
  workflowLack,
  workflows,
  type EngineKind,
} from '../engine-kind.ts';
import { DEFAULT_PROCESS_SETTINGS, seenBy, type ProcessJobSettings } from './settings.ts';

/**
 * Programs of this machine. `python`: of the whole site; without it and `environments`, best first,
 * no Python programs.
 */
export type ProcessEngine = {
  readonly python: string | undefined;
  readonly environments?: readonly EnvironmentTerms[];
  readonly process?: ProcessJobSettings;
  readonly workflows?: WorkflowTerms;
};

export const processKind: EngineKind<ProcessEngine> = {
  executes: {
    executable: true,
    'python-program': true,
    'jupyter-notebook': false,
    'oci-container': false,
    'helm-chart': false,
    ...workflows(true),
  },
  handsOutGpus: true,
  parallel: { types: ['executable'], isUniform: false },
  startsByEnv: true,
  volumeProblem: () => processVolumeProblem,
  lackOf: (engine, type) =>
    isWorkflowType(type)
      ? workflowLack(engine.workflows, type)
      : type === 'python-program'
        ? lackUnless(processEnvironments(engine)[0], {
            what: 'Python',
            key: 'runners.process.python',
            isOfSite: true,
            hint: 'the path of a Python interpreter, or runner: notebook, which brings its own',
          })
        : undefined,
  textLimitOf: () => PROGRAM_TEXT,
  environmentsOf: processEnvironments,
  // That of the whole site is for destinations that name none.
  takesEnvironments: { builtIn: false, made: true, otherwise: () => undefined },
  devicesOf: ({ process = DEFAULT_PROCESS_SETTINGS }) => process.gpus,
  onThisMachine: ({ process = DEFAULT_PROCESS_SETTINGS }) => ({
    wish: process.isolation,
    isConfined: false,
  }),
};

/** The interpreters of such an engine, best first. */
export function processEnvironments({
  python,
  environments,
  process: { isolation, paths } = DEFAULT_PROCESS_SETTINGS,
}: ProcessEngine): readonly EnvironmentTerms[] {
  if (environments !== undefined) return environments;
  if (python === undefined) return [];
  return [{ name: 'python', kind: 'interpreter', python, paths: seenBy(isolation, paths) }];
}
