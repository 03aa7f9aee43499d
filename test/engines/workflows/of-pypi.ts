import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An environment for programs of PyPI, which is kept between runs. */
const FOLDER = process.env['CWLTEST_VENV'] ?? join(tmpdir(), 'planner-cwltest');

/** A program in an environment of its own, from PyPI. @returns undefined when it cannot be had */
export function programOfPypi(name: 'cwltest' | 'cwltool'): string | undefined {
  const program = join(FOLDER, 'bin', name);
  if (existsSync(program)) return program;
  // Test files run at the same time.
  spawnSync('flock', [`${FOLDER}.lock`, 'sh', '-c', MAKE, 'make', FOLDER], { timeout: 300_000 });
  return existsSync(program) ? program : undefined;
}

const MAKE = `
/usr/bin/python3 -m venv "$1" && "$1/bin/pip" install --quiet cwltest cwltool
`;
