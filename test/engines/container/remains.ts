import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EngineApi } from '../../../src/runners/container/api/client.ts';
import { readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import { CONTAINER_JOB_LABEL } from '../../../src/runners/container/api/inspected.ts';
import { isRecord } from '../../../src/words/record.ts';
import { command } from '../daemon.ts';

/** Removes the containers of jobs. */
export async function removeContainers(api: EngineApi): Promise<void> {
  const all = await api.call({
    method: 'GET',
    path: '/containers/json',
    query: { all: '1', filters: JSON.stringify({ label: [CONTAINER_JOB_LABEL] }) },
  });
  for (const one of Array.isArray(all) ? all : []) {
    if (isRecord(one) && typeof one['Id'] === 'string')
      await api
        .call({ method: 'DELETE', path: `/containers/${one['Id']}`, query: { force: '1', v: '1' } })
        .catch(() => undefined);
  }
}

/** Unmounts what an engine left mounted below its folder. */
export function unmountBelow(folder: string): void {
  const mounts = command('cat', ['/proc/self/mounts'])
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.toReversed()) command('umount', ['-l', path]);
}

/**
 * Removes the parents of containers' cgroups, which stay behind; those of another engine may be in
 * use.
 */
export function removeCgroups(): void {
  if (isEngineAlive()) return;
  for (const controller of readdirSync('/sys/fs/cgroup')) {
    for (const parent of ['libpod_parent', 'docker']) {
      const path = join('/sys/fs/cgroup', controller, parent);
      if (existsSync(path))
        spawnSync('find', [path, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';'], {
          stdio: 'ignore',
        });
    }
  }
}

function isEngineAlive(): boolean {
  return readProcesses().some(({ pid }) => {
    const [program = '', ...words] = existsSync(`/proc/${pid}/cmdline`)
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      : [];
    return (
      ['dockerd', 'conmon'].includes(basename(program)) ||
      (basename(program) === 'podman' && words.includes('service'))
    );
  });
}
