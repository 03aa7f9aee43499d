import { spawnSync } from 'node:child_process';
import { JUPYTER_PYTHON } from '../jupyter.ts';
import type { Missing } from '../packages.ts';

/** @returns why packages cannot be installed */
export function indexMissing(): Missing {
  const words = ['-m', 'pip', 'download', '--no-deps', '-q', '-d', '/tmp/planner-six', 'six'];
  return spawnSync(JUPYTER_PYTHON, words, { timeout: 60_000 }).status === 0
    ? undefined
    : 'the index of packages is away';
}
