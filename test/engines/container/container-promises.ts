import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { inspect } from '../../../src/runners/container/api/inspected.ts';
import type { Workload } from '../../../src/runners/port.ts';
import { asRoot, run, shell } from '../../runners/workloads.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import type { ContainerBench } from './bench.ts';

/** Promises to every container of a job, in every runtime. */
export function containerPromises(bench: ContainerBench): void {
  const { oci, open, textOf } = bench;

  describe('a container', () => {
    test('runs the command of its image by default, or another entry point', async () => {
      const plain = oci();
      expect(await run(bench.runner, plain)).toMatchObject({ kind: 'completed' });
      expect(textOf(plain, 'stdout')).toBe('the command of the image\n');
      const other = oci({ entrypoint: ['/bin/echo', 'a'], command: ['b c'] });
      expect(await run(bench.runner, other)).toMatchObject({ kind: 'completed' });
      expect(textOf(other, 'stdout')).toBe('a b c\n');
    });

    test('has no rights, no network, a read-only root and a user of its own', async () => {
      const work = oci({
        command: [
          'sh',
          '-c',
          'id -u; grep -E "CapEff|CapBnd|NoNewPrivs|Seccomp:" /proc/self/status; touch /x; ' +
            'ip -o link | wc -l; echo ok > /tmp/f; pwd',
        ],
      });
      expect(await run(bench.runner, work)).toMatchObject({ kind: 'completed' });
      const [uid, ...lines] = textOf(work, 'stdout').trim().split('\n');
      expect(Number(uid)).toBeGreaterThanOrEqual(asRoot ? 61_184 : 1);
      expect(lines).toEqual([
        'CapEff:\t0000000000000000',
        'CapBnd:\t0000000000000000',
        'NoNewPrivs:\t1',
        'Seccomp:\t2',
        '1',
        '/job',
      ]);
      expect(textOf(work, 'stderr')).toContain('Read-only file system');
    });

    test('says what it used, as far as it was looked at', async () => {
      // Three seconds of a core, however long a busy machine takes for them.
      const work = shell(
        'ticks=0; while [ $ticks -lt 300 ]; do read -r line < /proc/self/stat; ' +
          'set -- ${line##*) }; ticks=$((${12} + ${13})); done',
      );
      const { usage } = await run(bench.runner, work);
      expect(usage?.processorS).toBeGreaterThan(0.5);
      expect(usage?.processorS).toBeLessThan(10);
      expect(usage?.memoryMib).toBeGreaterThan(0);
    });

    test('says so when the kernel ends it for its memory', async () => {
      const work = shell('x=$(head -c 400000000 /dev/zero | tr "\\0" a); echo ${#x}', {
        memory: 64,
      });
      expect(await run(bench.runner, work)).toMatchObject({
        kind: 'stopped',
        reason: 'memory',
        message: expect.stringContaining('64 MiB that were offered'),
      });
    });

    test('gets its processor time and no more, and no more processes than the site allows', async () => {
      const busy = shell(
        'read up rest < /proc/uptime; end=$(( ${up%.*} + 3 )); while read up rest < ' +
          '/proc/uptime; [ ${up%.*} -lt $end ]; do :; done; read -r line < /proc/self/stat; ' +
          'set -- ${line##*) }; echo $(( ${12} + ${13} ))',
        { cores: 0.2 },
      );
      expect(await run(bench.runner, busy)).toMatchObject({ kind: 'completed' });
      // Hundredths of a second of processor time, over at least two seconds.
      expect(Number(textOf(busy, 'stdout'))).toBeLessThan(100);
      const bomb = shell('for i in $(seq 200); do sleep 5 & done; echo started', { wallTime: 20 });
      const outcome = await run(open({ tasks: 20 }), bomb);
      expect(outcome.kind).not.toBe('completed');
      expect(textOf(bomb, 'stderr')).toMatch(/fork/);
    });

    test('has its volumes where the ask says, and cannot write to read-only ones', async () => {
      const volumes = [
        { name: 'data', path: '/data', mode: 'rw' },
        { name: 'in', path: '/data/in', mode: 'r' },
        { name: 'below', path: 'x/y', mode: 'rw' },
      ] as const;
      const work = oci(
        {
          command: [
            'sh',
            '-c',
            'echo 1 > /data/a; echo 2 > /job/x/y/b; env | grep VOLUME; echo no > /data/in/c',
          ],
        },
        { volumes },
      );
      expect(await run(bench.runner, work)).toMatchObject({
        kind: 'failed',
        results: expect.arrayContaining([expect.objectContaining({ path: 'work/x/y/b' })]),
      });
      expect(textOf(work, 'stdout').trim().split('\n').sort()).toEqual([
        'VOLUME_BELOW=/job/x/y',
        'VOLUME_DATA=/data',
        'VOLUME_IN=/data/in',
      ]);
      expect(textOf(work, 'volumes/data/a')).toBe('1\n');
      expect(textOf(work, 'stderr')).toMatch(/c: (Read-only file system|Permission denied)/);
    });

    test('has only its scratch space for the volumes that its image declares', async () => {
      const work = oci(
        {
          command: [
            'sh',
            '-c',
            'echo x > /declared/f && head -c 30000000 /dev/zero > /declared/g; sleep 60',
          ],
        },
        { scratch: 10 },
      );
      expect(await run(bench.runner, work)).toMatchObject({ kind: 'stopped', reason: 'output' });
      expect(textOf(work, 'volumes/.image-0/f')).toBe('x\n');
    });

    test('that printed or wrote too much has not completed, even if it ended before anybody counted', async () => {
      expect(
        await run(bench.runner, shell('head -c 20000000 /dev/zero; :', { scratch: 5 })),
      ).toMatchObject({ kind: 'stopped', reason: 'output' });
      expect(
        await run(
          bench.runner,
          shell('for i in 1 2 3 4; do head -c 4000000 /dev/zero > f$i; done', { scratch: 5 }),
        ),
      ).toMatchObject({ kind: 'stopped', reason: 'output' });
    });

    test('gets the user of its image where the site says so, and no capability with it', async () => {
      const work = oci({
        command: ['sh', '-c', 'id -u; echo mine > f; grep CapEff /proc/self/status'],
      });
      expect(await run(open({ user: 'image' }), work)).toMatchObject({
        kind: 'completed',
        results: expect.arrayContaining([expect.objectContaining({ path: 'work/f' })]),
      });
      expect(textOf(work, 'stdout')).toBe('0\nCapEff:\t0000000000000000\n');
    });

    test('gets a network only when it asks for one and the site names it', async () => {
      const links = ['sh', '-c', 'ip -o link | wc -l'];
      const without = oci({ command: links });
      const granted = open({ outbound: 'host' });
      await run(granted, without);
      expect(textOf(without, 'stdout')).toBe('1\n');
      const asked = oci({ command: links, network: 'outbound' });
      await run(granted, asked);
      expect(Number(textOf(asked, 'stdout'))).toBeGreaterThan(1);
      expect(await run(bench.runner, oci({ network: 'outbound' }))).toMatchObject({
        kind: 'failed',
        message: 'this destination gives no network to its jobs',
      });
    });

    test('leaves the engine when its job has ended, and its files stay', async () => {
      const work = shell('echo x');
      await run(bench.runner, work);
      expect(await inspect(bench.engine.api, work.job)).toBeUndefined();
      expect(existsSync(join(bench.jobsRoot, work.job, 'stdout'))).toBe(true);
    });
  });

  describe('a runtime that the site names', () => {
    const work = (): Workload => oci({ command: ['uname', '-r'] });

    test('that the engine does not have ends the job, which runs in no other one', async () => {
      const other = work();
      expect(await run(open({ runtime: 'none-such' }), other)).toMatchObject({
        kind: 'failed',
        code: 'runner-failed',
      });
      expect(textOf(other, 'stdout')).toBe('');
    });

    if (bench.name === 'docker') {
      withEngine('gVisor', needs('runsc'), () => {
        test('is the one in which the job runs', async () => {
          const inside = work();
          expect(await run(open({ runtime: 'runsc' }), inside)).toMatchObject({
            kind: 'completed',
          });
          expect([textOf(inside, 'stdout').trim(), release()]).toEqual([
            expect.stringMatching(/^4\.4\.0/),
            expect.not.stringMatching(/^4\.4\.0/),
          ]);
        });
      });
    }
  });
}
