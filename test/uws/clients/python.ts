import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The first Python of this machine that has pyvo (`PYVO_PYTHON` names another
 * one); undefined when there is none.
 */
export async function pythonWithPyvo(): Promise<string | undefined> {
  for (const python of [process.env['PYVO_PYTHON'], '/usr/bin/python3', 'python3']) {
    if (python === undefined) continue;
    if (
      await run(python, ['-c', 'import pyvo']).then(
        () => true,
        () => false,
      )
    )
      return python;
  }
  return undefined;
}
