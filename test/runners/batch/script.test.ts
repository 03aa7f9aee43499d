import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { begunDirectory, nodeScript, nodeStatus } from '../../../src/runners/batch/script.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { newJob, removeRoot, temporaryRoot, workload } from '../workloads.ts';

const root = temporaryRoot();
afterAll(() => removeRoot(root));

test.each(['sh', 'bash'])(
  'a node that cannot write down the start of a run does not begin it, in %s',
  (shell) => {
    const place = directoryOf(root, newJob());
    for (const folder of [place.work, join(place.root, 'node')])
      mkdirSync(folder, { recursive: true });
    symlinkSync('/dev/full', nodeStatus(place));
    const command = ['touch', join(place.work, 'begun')] as const;
    const { limits } = workload({ type: 'executable', command, environment: {} });
    const system = { idVariable: 'SLURM_JOB_ID', given: [] };
    const text = nodeScript({ place, command, environment: {}, limits, isCounted: true, system });
    writeFileSync(place.script, text);
    const env = { PATH: process.env['PATH'], SLURM_JOB_ID: '1' };
    const { error, status } = spawnSync(shell, [place.script], { env });
    if (error !== undefined) throw error;
    expect(status).toBe(98);
    expect(existsSync(command[1])).toBe(false);
    // Nothing has begun that a settlement would have to wait for.
    expect(existsSync(begunDirectory(place))).toBe(false);
  },
);
