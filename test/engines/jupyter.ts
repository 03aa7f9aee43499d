import type { ExecutableTask, Task } from '../../src/tasks/task.ts';
import { needs, type Missing } from './packages.ts';

/** Debian's Python, which has Debian's Jupyter; another one may come first in PATH. */
export const JUPYTER_PYTHON = '/usr/bin/python3';

/** Installs Jupyter unless it is there. @returns why it cannot be had */
export function jupyterMissing(): Missing {
  return needs('python3-nbclient', 'python3-nbconvert', 'python3-ipykernel');
}

/** What astronomers import first. @returns why they cannot be had */
export function packagesMissing(): Missing {
  return needs(
    'python3-numpy',
    'python3-scipy',
    'python3-matplotlib',
    'python3-pandas',
    'python3-astropy',
  );
}

/** A Python program that becomes a command. */
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
