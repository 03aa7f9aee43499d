import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isReachable, isRoot } from '../../places/reachable.ts';
import { JOB_PATH } from '../../runners/run/environment.ts';
import { isRecord, parsedJson } from '../../words/record.ts';

/** An interpreter of this machine that can make an environment. */
export type MachinePython = { readonly path: string; readonly version: string };

const ASK = `
import json, sys
try:
    import ensurepip, venv
    makes = True
except ImportError:
    makes = False
path = getattr(sys, "_base_executable", None) or sys.executable
print(json.dumps({"path": path, "version": list(sys.version_info[:3]), "makes": makes}))
`;
const OLDEST = [3, 9] as const;

/** The first Python 3 in the PATH that will do, or why none of them does, one line for each. */
export function findPython(
  path = `${process.env['PATH'] ?? ''}:${JOB_PATH}`,
): MachinePython | readonly string[] {
  const places = [...new Set(path.split(':').filter((place) => place !== ''))];
  const problems: string[] = [];
  for (const program of places.map((place) => join(place, 'python3')).filter(existsSync)) {
    const found = ask(program);
    if (typeof found !== 'string') return found;
    problems.push(`${program} ${found}`);
  }
  return problems;
}

function ask(program: string): MachinePython | string {
  const { status, stdout } = spawnSync(program, ['-I', '-c', ASK], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  const said = status === 0 ? parsedJson(stdout) : undefined;
  if (!isRecord(said) || !Array.isArray(said['version'])) return 'does not start';
  const { path, makes } = said;
  const [major = 0, minor = 0, micro = 0] = said['version'].map(Number);
  if (typeof path !== 'string') return 'does not say where it is';
  if (major < OLDEST[0] || minor < OLDEST[1])
    return `is Python ${major}.${minor}; ${OLDEST.join('.')} or newer is needed`;
  if (makes !== true)
    return 'makes no environments: it lacks venv or ensurepip (Debian: apt-get install python3-venv)';
  if (isRoot() && !isReachable(path))
    return `is at ${path}, where the accounts of jobs cannot reach it`;
  return { path, version: `${major}.${minor}.${micro}` };
}
