import type { ExecutableTask, Task } from '../../src/tasks/task.ts';
import { needs, type Missing } from './packages.ts';

/** Debian's Python, which has Debian's Jupyter; PATH may have another one first. */
export const JUPYTER_PYTHON = '/usr/bin/python3';

/** Installs Jupyter if it is missing. @returns why it is not available */
export function jupyterMissing(): Missing {
  return needs('python3-nbclient', 'python3-nbconvert', 'python3-ipykernel');
}

/** Installs the packages that astronomers import first. @returns why they are not available */
export function packagesMissing(): Missing {
  return needs(
    'python3-numpy',
    'python3-scipy',
    'python3-matplotlib',
    'python3-pandas',
    'python3-astropy',
  );
}

/** A Python program that replaces itself by a command. */
export function execOf({ command, environment }: ExecutableTask): Task {
  return {
    type: 'python-program',
    arguments: [],
    program: {
      kind: 'inline',
      text:
        `import json, os\ncommand = json.loads(${JSON.stringify(JSON.stringify(command))})\n` +
        'os.execvpe(command[0], command, ' +
        `{**json.loads(${JSON.stringify(JSON.stringify(environment))}), **os.environ})`,
    },
  };
}
