import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import type { JobDescription } from '../../../src/vortex/index.ts';

/** The output of real_tpv.py. Times in ms. */
export type RealTimes = {
  readonly version: string;
  readonly python: string;
  readonly loadMs: number;
  /** Processor time of all that is in `times`. */
  readonly cpuMs: number;
  readonly times: readonly number[];
  readonly answers: readonly string[];
};

/**
 * A Python with the package `total-perspective-vortex`: `TPV_PYTHON`, or else `python3`; undefined
 * if there is none.
 */
export function findRealTpv(): string | undefined {
  const python = process.env['TPV_PYTHON'] ?? 'python3';
  const probe = spawnSync(python, ['-c', 'import importlib.util as u; assert u.find_spec("tpv")'], {
    stdio: 'ignore',
  });
  return probe.status === 0 ? python : undefined;
}

/** Maps the jobs with the real TPV in one process, after one warm-up round. */
export async function runRealTpv(
  python: string,
  configs: readonly string[],
  jobs: readonly JobDescription[],
  rounds: number,
): Promise<RealTimes> {
  const script = fileURLToPath(new URL('real_tpv.py', import.meta.url));
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ configs, jobs, rounds }));
  return JSON.parse(await text(child.stdout));
}
