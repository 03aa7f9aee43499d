import { afterAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cgroupOf,
  createCgroup,
  limitFiles,
  oomKills,
  removeCgroup,
} from '../../../src/runners/process/cgroup/cgroup.ts';
import { cgroupMounts, delegatedCgroup } from '../../../src/runners/process/cgroup/tree.ts';
import { hasEnvironment, readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import type { Workload } from '../../../src/runners/port.ts';
import { mebibytes, millicores, seconds } from '../../../src/words/units.ts';
import { removeRoot, run, shell, temporaryRoot, until } from '../workloads.ts';
import { cgroups, isolations, rowsOf } from './isolations.ts';

const root = temporaryRoot();
const jobsRoot = join(root, 'jobs');
const urls = { allowHosts: [], fileRoots: [] };
function textOf({ job }: Workload, path = 'stdout') {
  return readFileSync(join(jobsRoot, job, path), 'utf8');
}
function leftOf(job: string) {
  return readProcesses().filter(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}
afterAll(() => removeRoot(root));

const limits = {
  cores: millicores(1500),
  memory: mebibytes(64),
  scratch: mebibytes(1),
  wallTime: seconds(60),
};

describe('the limits of a job', () => {
  test('are written in the formats of version 2 and version 1', () => {
    const at = { memory: '/m', pids: '/p', cpu: '/c' };
    expect(limitFiles({ version: 2, ...at }, limits, 20)).toEqual([
      ['/m/memory.max', '67108864'],
      ['/m/memory.swap.max', '0'],
      ['/m/memory.oom.group', '1'],
      ['/m/memory.low', '67108864'],
      ['/p/pids.max', '20'],
      ['/c/cpu.weight', '15'],
      ['/c/cpu.max', '150000 100000'],
    ]);
    expect(limitFiles({ version: 1, ...at }, limits, 20)).toEqual([
      ['/m/memory.limit_in_bytes', '67108864'],
      ['/m/memory.memsw.limit_in_bytes', '67108864'],
      ['/m/memory.soft_limit_in_bytes', '67108864'],
      ['/p/pids.max', '20'],
      ['/c/cpu.shares', '1536'],
      ['/c/cpu.cfs_period_us', '100000'],
      ['/c/cpu.cfs_quota_us', '150000'],
    ]);
    expect(
      limitFiles({ version: 2, ...at }, { ...limits, cores: millicores(1) }, 20).at(-1),
    ).toEqual(['/c/cpu.max', '1000 100000']);
  });
});

describe('a job that may go beyond its minimum', () => {
  test('has its share from the minimum, and its limits from the maximum', () => {
    const at = { memory: '/m', pids: '/p', cpu: '/c' };
    const wide = { ...limits, guaranteed: { cores: millicores(500), memory: mebibytes(32) } };
    expect(Object.fromEntries(limitFiles({ version: 2, ...at }, wide, 20))).toMatchObject({
      '/m/memory.max': '67108864',
      '/m/memory.low': '33554432',
      '/c/cpu.weight': '5',
      '/c/cpu.max': '150000 100000',
    });
    expect(Object.fromEntries(limitFiles({ version: 1, ...at }, wide, 20))).toMatchObject({
      '/m/memory.limit_in_bytes': '67108864',
      '/m/memory.soft_limit_in_bytes': '33554432',
      '/c/cpu.shares': '512',
      '/c/cpu.cfs_quota_us': '150000',
    });
  });
});

describe('cgroups are found', () => {
  test('where the machine has mounted whole hierarchies', () => {
    expect(
      cgroupMounts(
        [
          '30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate',
          '31 25 0:27 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory',
          '32 25 0:28 /docker/abc /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids',
          '33 25 0:29 / /proc rw - proc proc rw',
          '',
        ].join('\n'),
      ),
    ).toEqual([
      { path: '/sys/fs/cgroup', kind: 'cgroup2', options: ['rw', 'nsdelegate'] },
      { path: '/sys/fs/cgroup/memory', kind: 'cgroup', options: ['rw', 'memory'] },
    ]);
  });

  test('in the cgroup that systemd gave to the service, and in no other', () => {
    expect(delegatedCgroup('0::/system.slice/planner.service/main\n')).toBe(
      '/system.slice/planner.service',
    );
    for (const other of [
      '0::/system.slice/planner.service',
      '0::/user.slice/user-1000.slice/session-1.scope',
      '0::/',
      '4:memory:/a/b.service/c',
      '',
    ])
      expect(delegatedCgroup(other)).toBeUndefined();
  });
});

const held = isolations.filter(([, isolation]) => isolation.cgroups !== undefined);
(held.length > 0 ? describe : describe.skip)('where cgroups can be made', () => {
  describe.each(rowsOf(held))('a job in %s', (_name, isolation) => {
    const runner = processRunner({ jobsRoot, urls, isolation, tasks: 24 });
    afterAll(() => runner.close());
    const cgroupOfJob = ({ job }: Workload) =>
      cgroupOf(cgroups ?? { version: 2, memory: '/', pids: '/', cpu: '/' }, job);

    test('is stopped by the kernel when its processes together need more memory than offered', async () => {
      const eat = 'x=$(head -c 40000000 /dev/zero | tr "\\0" a); sleep 300; :';
      const outcome = await run(
        runner,
        shell(`for i in 1 2 3 4; do (${eat}) & done; wait`, { memory: 100 }),
      );
      expect(outcome).toMatchObject({
        kind: 'stopped',
        reason: 'memory',
        message: 'stopped: it needed more memory than the 100 MiB that were offered',
      });
    });

    test('is stopped for that also when its processes hide, ignore signals or go on', async () => {
      const hidden = `exec env -i setsid sh -c 'x=$(head -c 300000000 /dev/zero | tr "\\0" a); sleep 300; :'`;
      expect(await run(runner, shell(`(${hidden}) & sleep 300`, { memory: 100 }))).toMatchObject({
        kind: 'stopped',
        reason: 'memory',
      });
    });

    test('is charged for files in shared memory', async () => {
      const outcome = await run(
        runner,
        shell('head -c 300000000 /dev/zero > /dev/shm/x; echo $?; sleep 300', {
          memory: 64,
          scratch: 100,
        }),
      );
      expect(outcome.kind).toBe('stopped');
    });

    test('gets the cores that it was offered and no more', async () => {
      const work = shell(
        'date +%s.%N; for i in 1 2 3 4; do (while :; do :; done) & all="$all $!"; done; ' +
          'sleep 2; kill $all; wait; date +%s.%N; times',
        { cores: 0.5 },
      );
      await run(runner, work);
      // The last line has its children's user and system time.
      const [begun, ended, , children = ''] = textOf(work).trim().split('\n');
      const used = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
        (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
        0,
      );
      expect(used).toBeGreaterThan(0);
      expect(used).toBeLessThan((Number(ended) - Number(begun)) * 0.5 + 0.3);
    });

    test('cannot start processes without limit, and all of them end', async () => {
      const work = shell(
        'bomb() { sleep 300 & (bomb) & (bomb) & (bomb) & wait; }; sleep 300 & (bomb) 2>/dev/null & wait',
      );
      await runner.submit(work);
      await until(() => leftOf(work.job).length > 8, 'it forks');
      expect(leftOf(work.job).length).toBeLessThanOrEqual(28);
      await runner.stop(work.job, 'cancelled');
      expect(leftOf(work.job)).toEqual([]);
      expect(existsSync(cgroupOfJob(work).pids)).toBe(false);
    });

    test('has a cgroup as long as it runs, and none after', async () => {
      const work = shell('while [ ! -e go ]; do sleep 0.05; done');
      await runner.submit(work);
      await until(() => existsSync(cgroupOfJob(work).pids), 'it has a cgroup');
      await runner.stop(work.job, 'cancelled');
      for (const path of Object.values(cgroupOfJob(work)))
        expect(typeof path === 'string' && existsSync(path)).toBe(false);
    });
  });

  test('a cgroup without a kill reports none, and neither does one that is gone', async () => {
    if (cgroups === undefined) throw new Error('this machine has cgroups');
    const cgroup = cgroupOf(cgroups, `test-${process.pid}`);
    createCgroup(cgroup, limits, 5);
    expect(oomKills(cgroup)).toBe(0);
    await removeCgroup(cgroup);
    await removeCgroup(cgroup);
    expect(oomKills(cgroup)).toBe(0);
    expect(existsSync(cgroup.memory)).toBe(false);
  });
});
