import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { containerRunner } from '../../../src/runners/container-runner.ts';
import { engineApi } from '../../../src/runners/container/api.ts';
import { containerName, inspect } from '../../../src/runners/container/inspected.ts';
import type { ContainerSettings } from '../../../src/runners/container/settings.ts';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import type { ContainerTask } from '../../../src/tasks/task.ts';
import { parseOfferId } from '../../../src/words/ids.ts';
import { isRecord } from '../../../src/words/record.ts';
import { seconds } from '../../../src/words/units.ts';
import { runnerContract } from '../../runners/contract.ts';
import { asRoot, ended, run, shell, until, workload } from '../../runners/workloads.ts';
import { makeCertificates } from '../certificates.ts';
import {
  IMAGE,
  imageOf,
  openContainerEngine,
  PACKAGES,
  type ContainerEngine,
} from './container.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

for (const name of ['podman', 'docker'] as const)
  withEngine(name, needs(...PACKAGES[name]), () => containers(name));

function containers(name: ContainerEngine['name']): void {
  let engine: ContainerEngine;
  let jobsRoot: string;
  let images: string;
  let runner: Runner;
  const opened: Runner[] = [];
  const open = (more: Partial<ContainerSettings> = {}): Runner => {
    const one = containerRunner(
      { jobsRoot, urls: { allowHosts: [], fileRoots: [images], registries: [engine.registry] } },
      engine.settings({ pull: 'missing', ...more }),
    );
    opened.push(one);
    return one;
  };
  beforeAll(async () => {
    engine = await openContainerEngine(name);
    jobsRoot = join(engine.folder, 'jobs');
    images = join(engine.folder, 'images');
    mkdirSync(images);
    runner = open();
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await engine?.close();
  });

  const oci = (
    more: Partial<ContainerTask> = {},
    asked: Parameters<typeof workload>[1] = {},
  ): Workload =>
    workload(
      {
        type: 'oci-container',
        image: imageOf(engine.registry, IMAGE),
        architectures: [],
        entrypoint: undefined,
        command: undefined,
        environment: {},
        network: 'none',
        ...more,
      },
      asked,
    );
  const textOf = (work: Workload, file: string): string =>
    readFileSync(join(jobsRoot, work.job, file), 'utf8');
  const digestOf = async (): Promise<string> => {
    const found = await engine.api.call({
      method: 'GET',
      path: `/images/${engine.registry}/${IMAGE}/json`,
    });
    const [digest] =
      isRecord(found) && Array.isArray(found['RepoDigests']) ? found['RepoDigests'] : [];
    return String(digest).split('@')[1] ?? '';
  };

  describe('a container', () => {
    test('runs the command of its image by default, or another entry point', async () => {
      const plain = oci();
      expect(await run(runner, plain)).toMatchObject({ kind: 'completed' });
      expect(textOf(plain, 'stdout')).toBe('the command of the image\n');
      const other = oci({ entrypoint: ['/bin/echo', 'a'], command: ['b c'] });
      expect(await run(runner, other)).toMatchObject({ kind: 'completed' });
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
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
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

    test('says so when the kernel ends it for its memory', async () => {
      const work = shell('x=$(head -c 400000000 /dev/zero | tr "\\0" a); echo ${#x}', {
        memory: 64,
      });
      expect(await run(runner, work)).toMatchObject({
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
      expect(await run(runner, busy)).toMatchObject({ kind: 'completed' });
      // Hundredths of a second, in two seconds or more.
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
      expect(await run(runner, work)).toMatchObject({
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
      expect(await run(runner, work)).toMatchObject({ kind: 'stopped', reason: 'output' });
      expect(textOf(work, 'volumes/.image-0/f')).toBe('x\n');
    });

    test('that printed or wrote too much has not completed, even if it ended before anybody counted', async () => {
      expect(
        await run(runner, shell('head -c 20000000 /dev/zero; :', { scratch: 5 })),
      ).toMatchObject({ kind: 'stopped', reason: 'output' });
      expect(
        await run(
          runner,
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
      expect(await run(runner, oci({ network: 'outbound' }))).toMatchObject({
        kind: 'failed',
        message: 'this destination gives no network to its jobs',
      });
    });

    test('leaves the engine when its job has ended, and its files stay', async () => {
      const work = shell('echo x');
      await run(runner, work);
      expect(await inspect(engine.api, work.job)).toBeUndefined();
      expect(existsSync(join(jobsRoot, work.job, 'stdout'))).toBe(true);
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

    if (name === 'docker') {
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

  describe('an image', () => {
    const failing = async (
      image: Partial<ContainerTask>,
      more: Partial<ContainerSettings> = {},
    ): Promise<Outcome> => run(open(more), oci(image));

    test('is pulled by its tag and by its digest', async () => {
      expect(await run(open({ pull: 'always' }), oci())).toMatchObject({ kind: 'completed' });
      const work = oci({
        image: { ...imageOf(engine.registry, IMAGE), tag: undefined, digest: await digestOf() },
        architectures: ['amd64', 'arm64'],
      });
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('the command of the image\n');
    });

    test('that the registry does not have ends the job, with the words of the registry', async () => {
      expect(await failing({ image: imageOf(engine.registry, 'ci/bb:none') })).toMatchObject({
        kind: 'failed',
        code: 'fetch-failed',
        transient: false,
        message: expect.stringMatching(/ci\/bb:none could not be pulled: .*unknown/),
      });
      expect(
        await failing({
          image: { ...imageOf(engine.registry, IMAGE), digest: `sha256:${'0'.repeat(64)}` },
        }),
      ).toMatchObject({ kind: 'failed', code: 'fetch-failed' });
    });

    test("of a registry that asks for a password is pulled with the site's credentials only", async () => {
      const guarded = await engine.openGuarded();
      try {
        const image = imageOf(guarded.address, IMAGE);
        expect(await failing({ image })).toMatchObject({
          kind: 'failed',
          code: 'fetch-failed',
          transient: false,
        });
        const auth = join(engine.folder, 'auth.json');
        writeFileSync(auth, JSON.stringify(guarded.auth));
        const work = oci({ image });
        expect(await run(open({ auth }), work)).toMatchObject({
          kind: 'completed',
          results: [{ id: 'stdout' }, { id: 'stderr' }],
        });
        expect(textOf(work, 'stdout')).toBe('guarded\n');
      } finally {
        await guarded.stop();
      }
    });

    test('for an architecture that was not asked for does not run', async () => {
      expect(
        await failing({ architectures: [process.arch === 'arm64' ? 'amd64' : 'arm64'] }),
      ).toMatchObject({
        kind: 'failed',
        code: 'image-mismatch',
        message: expect.stringMatching(/the image is for \w+, and not for \w+/),
      });
    });

    test('comes from an archive in a directory that the site lends, and from nowhere else', async () => {
      copyFileSync(join(engine.folder, 'image.tar'), join(images, 'image.tar'));
      symlinkSync('/etc/hostname', join(images, 'link.tar'));
      const archive = (file: string, digest?: string): Partial<ContainerTask> => ({
        image: { kind: 'archive', url: pathToFileURL(join(images, file)).href, digest },
      });
      const work = oci(archive('image.tar'));
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('the command of the image\n');
      expect(await failing(archive('image.tar', `sha256:${'0'.repeat(64)}`))).toMatchObject({
        kind: 'failed',
        code: 'image-mismatch',
      });
      expect(await failing(archive('link.tar'))).toMatchObject({
        kind: 'failed',
        code: 'url-forbidden',
      });
      expect(await failing(archive('none.tar'))).toMatchObject({
        kind: 'failed',
        code: 'fetch-failed',
      });
    });

    test('that does not come in time ends the job, and a job that waits for one can be stopped', async () => {
      const sockets = new Set<Socket>();
      const silent = createServer(
        (socket) => void sockets.add(socket.on('error', () => undefined)),
      );
      await new Promise<void>((resolve) => {
        silent.listen(0, '127.0.0.1', resolve);
      });
      const address = silent.address();
      const image = imageOf(
        `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
        'slow:1',
      );
      try {
        expect(await failing({ image }, { pullLimit: seconds(1) })).toMatchObject({
          kind: 'failed',
          code: 'fetch-timeout',
          transient: true,
        });
        const work = oci({ image });
        const submitted = runner.submit(work);
        await until(() => sockets.size > 1, 'the pull');
        await runner.stop(work.job, 'cancelled');
        await submitted;
        expect(await runner.look(work.job)).toMatchObject({
          state: 'ended',
          outcome: { kind: 'stopped', reason: 'cancelled' },
        });
      } finally {
        for (const socket of sockets) socket.destroy();
        silent.close();
      }
    });
  });

  describe('the service of the engine', () => {
    test('can restart in the middle of a job, which goes on and loses no output', async () => {
      const work = shell('for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done; exit 5');
      await runner.submit(work);
      await until(() => textOf(work, 'stdout').includes('2'), 'output');
      await engine.restart();
      expect(await ended(runner, work.job)).toMatchObject({
        kind: 'failed',
        message: 'the task ended with exit code 5',
      });
      expect(textOf(work, 'stdout')).toBe('1\n2\n3\n4\n5\n6\n');
    });

    test('can be away: jobs are kept, and lost with a reason after the limit of the site', async () => {
      const patient = open({ unreachableLimit: seconds(2) });
      const work = shell('sleep 300');
      await patient.submit(work);
      await engine.stopService();
      try {
        await expect(patient.look(work.job)).rejects.toThrow(/engine\.sock/);
        const outcome = await until(
          async () => (await patient.look(work.job).catch(() => undefined))?.state === 'ended',
          'the end',
        ).then(() => patient.look(work.job));
        expect(outcome).toMatchObject({
          state: 'ended',
          outcome: {
            kind: 'failed',
            code: 'run-lost',
            message: expect.stringContaining('gave no usable answer for 2 s'),
          },
        });
      } finally {
        await engine.startService();
      }
      await until(
        async () => (await inspect(engine.api, work.job)) === undefined,
        'the end of the abandoned container',
      );
      await patient.remove(work.job);
    });

    if (name === 'docker') {
      test('is reached at a port with certificates on both sides, and not without', async () => {
        const address = engine.tcp;
        if (address?.kind !== 'tcp') throw new Error('no port');
        const work = shell('echo by TLS');
        expect(await run(open({ address }), work)).toMatchObject({ kind: 'completed' });
        expect(textOf(work, 'stdout')).toBe('by TLS\n');
        const other = makeCertificates(images);
        const stranger = engineApi({ ...address, tls: { ...address.tls, ...other.client } });
        await expect(stranger.call({ method: 'GET', path: '/version' })).rejects.toThrow(
          /certificate|alert|socket hang up|ECONNRESET/i,
        );
        const impostor = engineApi({ ...address, tls: { ...address.tls, ca: other.ca } });
        await expect(impostor.call({ method: 'GET', path: '/version' })).rejects.toThrow(
          /certificate/i,
        );
      });
    }

    test('may have dropped a container: the job is lost and does not hang', async () => {
      const work = shell('sleep 300');
      await runner.submit(work);
      await engine.api
        .call({
          method: 'DELETE',
          path: `/containers/${containerName(work.job)}`,
          query: { force: '1' },
        })
        .catch(() => undefined);
      expect(await ended(runner, work.job)).toMatchObject({
        kind: 'failed',
        code: 'run-lost',
        transient: true,
      });
    });
  });

  describe('an executor', () => {
    test('that is killed leaves its job running, and the next one has its whole output', async () => {
      const script = 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done; echo kept > f';
      const executor = spawn(
        process.execPath,
        [
          '--no-warnings',
          fileURLToPath(new URL('submitter.ts', import.meta.url)),
          jobsRoot,
          engine.socket,
          `${engine.registry}/${IMAGE}`,
          script,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const job = parseOfferId(String((await once(executor.stdout, 'data'))[0]).trim());
      if (job === undefined) throw new Error('no job');
      const stdout = (): string => readFileSync(join(jobsRoot, job, 'stdout'), 'utf8');
      await until(() => stdout().includes('2'), 'output');
      executor.kill('SIGKILL');
      await once(executor, 'exit');
      expect(await runner.look(job)).toEqual({ state: 'running' });
      expect(await ended(runner, job)).toMatchObject({
        kind: 'completed',
        results: expect.arrayContaining([expect.objectContaining({ id: 'f' })]),
      });
      expect(stdout()).toBe('1\n2\n3\n4\n5\n6\n');
    });
  });

  runnerContract(`container (${name})`, async () => ({
    jobsRoot,
    open,
    isAlive: async (job) => (await inspect(engine.api, job))?.phase === 'running',
    close: async () => undefined,
  }));
}
