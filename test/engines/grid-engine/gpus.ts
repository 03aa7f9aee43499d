import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GridCluster } from './cluster.ts';
import { QUEUE } from './objects.ts';

/** The consumable of the devices. */
export const GPU = 'gpu';

/**
 * Lets the queue hand out devices as sites do: a consumable counts them, and a prolog gives a job
 * their numbers. One job at a time has some, so that the first ones are free.
 */
export async function handOutGpus(cluster: GridCluster, count: number): Promise<void> {
  const { folder, run } = cluster;
  const complexes = join(folder, 'complexes');
  const known = await run('qconf', '-sc');
  writeFileSync(complexes, `${known}${GPU} ${GPU} INT <= YES JOB 0 0\n`);
  await run('qconf', '-Mc', complexes);
  await run('qconf', '-mattr', 'exechost', 'complex_values', `${GPU}=${count}`, 'localhost');
  const prolog = join(folder, 'prolog');
  writeFileSync(prolog, PROLOG);
  chmodSync(prolog, 0o755);
  await run('qconf', '-mattr', 'queue', 'prolog', `root@${prolog}`, QUEUE);
}

const PROLOG = `#!/bin/sh
count=$(qstat -j "$JOB_ID" | sed -n 's/^hard resource_list:.*\\b${GPU}=\\([0-9]*\\).*/\\1/p')
[ -n "$count" ] || exit 0
echo "CUDA_VISIBLE_DEVICES=$(seq -s , 0 $((count - 1)))" >> "$SGE_JOB_SPOOL_DIR/environment"
`;
