import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NodeContainers } from '../../../src/runners/slurm/settings.ts';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { parseReference, type ImageSource } from '../../../src/tasks/image.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { ended, patiently, run, until, workload } from '../../runners/workloads.ts';
import { freePort } from '../../harness/free-port.ts';
import { command, daemon, type Daemon } from '../daemon.ts';
import { needs } from '../packages.ts';
import {
  byCommands,
  isAlive,
  settingsOf,
  slurmMissing,
  startCluster,
  type Cluster,
} from './slurm.ts';
import { withEngine } from '../summary.ts';

const TOOLS = [
  'sh',
  'echo',
  'cat',
  'sleep',
  'id',
  'ls',
  'touch',
  'head',
  'tr',
  'wc',
  'env',
  'ip',
  'setsid',
  'tail',
];

withEngine(
  'containers in jobs of slurm',
  slurmMissing() ??
    needs('podman', 'crun', 'conmon', 'busybox-static', 'docker-registry', 'slirp4netns'),
  () => {
    let cluster: Cluster;
    let runner: Runner;
    const granted: Runner[] = [];
    let registry: Daemon;
    let folder: string;
    let store: string;
    let image: ImageSource;

    beforeAll(async () => {
      cluster = await startCluster();
      folder = mkdtempSync('/var/tmp/slurm-containers-');
      chmodSync(folder, 0o755);
      store = join(folder, 'store');
      mkdirSync(store);
      chmodSync(store, 0o1777);
      const port = await freePort();
      writeFileSync(
        join(folder, 'registry.yml'),
        'version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\n' +
          `storage: {filesystem: {rootdirectory: ${join(folder, 'images')}}}\n` +
          `http: {addr: "127.0.0.1:${port}"}\n`,
      );
      registry = await daemon('docker-registry', ['serve', join(folder, 'registry.yml')], {
        log: join(folder, 'registry.log'),
        ready: () =>
          fetch(`http://127.0.0.1:${port}/v2/`).then(
            ({ ok }) => ok,
            () => false,
          ),
      });
      writeFileSync(
        join(folder, 'registries.conf'),
        `unqualified-search-registries=[]\n[[registry]]\nlocation="127.0.0.1:${port}"\ninsecure=true\n`,
      );
      writeFileSync(
        join(folder, 'containers.conf'),
        '[engine]\ncgroup_manager="cgroupfs"\nevents_logger="none"\n' +
          `runtime="crun"\n[engine.runtimes]\ncrun=["${runtimeHere(folder)}"]\n` +
          '[containers]\ndefault_ulimits=[]\n',
      );
      writeFileSync(
        join(folder, 'storage.conf'),
        `[storage]\ndriver="overlay"\ngraphroot="${folder}/graph"\nrunroot="${folder}/run"\n`,
      );
      const bin = join(folder, 'rootfs', 'bin');
      mkdirSync(bin, { recursive: true });
      cpSync('/bin/busybox', join(bin, 'busybox'));
      for (const tool of TOOLS) symlinkSync('busybox', join(bin, tool));
      command('tar', ['-C', join(folder, 'rootfs'), '-cf', join(folder, 'rootfs.tar'), '.']);
      const env = {
        CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
        CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
      };
      const name = `127.0.0.1:${port}/ci/bb`;
      command(
        'podman',
        [
          'import',
          '--change',
          'CMD ["sh","-c","echo the command of the image"]',
          '--change',
          'ENV PATH=/bin',
          join(folder, 'rootfs.tar'),
          `${name}:1`,
        ],
        { env },
      );
      command('podman', ['push', `${name}:1`], { env });
      mkdirSync(join(folder, 'lent'));
      command(
        'podman',
        ['save', '--format', 'oci-archive', '-o', join(folder, 'lent', 'bb.tar'), `${name}:1`],
        { env },
      );
      const found = parseReference(`${name}:1`);
      if (found === undefined) throw new Error(name);
      image = found;
      runner = open(undefined);
    });
    afterAll(async () => {
      for (const one of [runner, ...granted]) await one?.close();
      await cluster?.close();
      await registry?.stop();
      // Not `podman system reset`: it empties /run/libpod, which other tests' engines use.
      rmSync(folder, { recursive: true, force: true });
    });

    const open = (network: string | undefined): Runner => {
      const container: NodeContainers = {
        program: '/usr/bin/podman',
        store,
        conf: join(folder, 'containers.conf'),
        registries: join(folder, 'registries.conf'),
        auth: undefined,
        network,
      };
      return slurmRunner(settingsOf(byCommands(cluster), { container }), {
        jobsRoot: cluster.jobsRoot,
        urls: { allowHosts: [], fileRoots: [join(folder, 'lent')] },
      });
    };
    const container = (
      script: string | undefined,
      more: Partial<Extract<Task, { type: 'oci-container' }>> = {},
      asked: Parameters<typeof workload>[1] = {},
    ): Workload =>
      workload(
        {
          type: 'oci-container',
          image,
          architectures: [],
          entrypoint: undefined,
          command: script === undefined ? undefined : ['sh', '-c', script],
          environment: {},
          network: 'none',
          ...more,
        },
        asked,
      );
    const textOf = ({ job }: Workload, path: string): string =>
      readFileSync(join(cluster.jobsRoot, job, path), 'utf8');

    test('run the command of the image, and leave nothing on the node', async () => {
      const work = container(undefined);
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('the command of the image\n');
      expect([...readdirSync(store), ...globSync('/tmp/vo.*')]).toEqual([]);
    });

    test('have their words, variables, volumes and results, and their exit code', async () => {
      const work = container(
        'echo "$GREETING $(cat in/note)"; echo 1,2 > table.csv; id -u; exit 7',
        { environment: { GREETING: "it's\nhello", PATH: '/bin', LD_PRELOAD: '/no' } },
        { volumes: [{ name: 'in', path: 'in', mode: 'rw' }] },
      );
      const outcome = await run(runner, {
        ...work,
        task: {
          ...container(
            'echo inside > in/note; echo "$GREETING $(cat in/note) $VOLUME_IN"; echo 1,2 > table.csv; exit 7',
            { environment: { GREETING: "it's\nhello", LD_PRELOAD: '/no' } },
          ).task,
        },
      });
      expect(outcome).toMatchObject({
        kind: 'failed',
        code: 'task-failed',
        message: 'the task ended with exit code 7',
      });
      expect(textOf(work, 'stdout')).toBe("it's\nhello inside /job/in\n");
      expect(textOf(work, 'work/table.csv')).toBe('1,2\n');
    });

    test('see nothing of the node, and no network', async () => {
      const work = container(
        'touch /x || echo read-only; ls /job /var /home; ip link | wc -l; cat ' +
          '/proc/self/status | tail -50 | head -60 > status',
      );
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toContain('read-only\n');
      expect(textOf(work, 'stdout')).not.toContain('slurm');
      expect(textOf(work, 'work/status')).toMatch(/CapEff:\s0000000000000000/);
      expect(textOf(work, 'work/status')).toMatch(/NoNewPrivs:\s1/);
    });

    /** systemd makes it 0666, which jobs need. */
    const isTunOpen =
      existsSync('/dev/net/tun') && (statSync('/dev/net/tun').mode & 0o006) === 0o006;
    if (!isTunOpen)
      test.todo('have the network slirp4netns: needs a /dev/net/tun that ordinary users may open');
    test.each(['host', ...(isTunOpen ? ['slirp4netns'] : [])])(
      'have the network %s when they ask for one and the site names it, and otherwise none',
      async (network) => {
        const site = open(network);
        granted.push(site);
        const links = 'ip -o link | wc -l';
        const without = container(links);
        expect(await run(site, without)).toMatchObject({ kind: 'completed' });
        expect(textOf(without, 'stdout')).toBe('1\n');
        const asked = container(links, { network: 'outbound' });
        expect(await run(site, asked)).toMatchObject({ kind: 'completed' });
        expect(Number(textOf(asked, 'stdout'))).toBeGreaterThan(1);
        expect(await run(runner, container(links, { network: 'outbound' }))).toMatchObject({
          kind: 'failed',
          message: 'this destination gives no network to its jobs',
        });
      },
    );

    test('that were promised GPUs are refused, since they would not get them', async () => {
      expect(
        await run(runner, {
          ...container('true'),
          gpus: { type: 'https://example.org/gpu', count: 1 },
        }),
      ).toMatchObject({ kind: 'failed', code: 'runner-failed' });
    });

    test('are bounded by the memory that was offered', async () => {
      expect(
        await run(
          runner,
          container(
            'x=$(head -c 800000000 /dev/zero | tr "\\0" a); echo ${#x}',
            {},
            { memory: 256 },
          ),
        ),
      ).toMatchObject({ kind: 'stopped', reason: 'memory' });
    });

    test('are stopped with everything they started, and the next job removes what they left', async () => {
      const work = container('(setsid sleep 300 &); echo begun; sleep 300');
      await runner.submit(work);
      await until(
        () =>
          existsSync(join(cluster.jobsRoot, work.job, 'stdout')) &&
          textOf(work, 'stdout') === 'begun\n',
        'it runs',
      );
      await patiently(() => runner.stop(work.job, 'cancelled'));
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
      expect(await isAlive(work.job)).toBe(false);
      expect(await run(runner, container('true'))).toMatchObject({ kind: 'completed' });
      expect(readdirSync(store)).toEqual([]);
    });

    test('from an archive run too, and another digest or architecture is an error', async () => {
      const archive = {
        kind: 'archive',
        url: pathToFileURL(join(folder, 'lent', 'bb.tar')).href,
        digest: undefined,
      } as const;
      const work = container('echo archived', { image: archive });
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('archived\n');
      expect(
        await run(
          runner,
          container('true', { image: { ...archive, digest: `sha256:${'0'.repeat(64)}` } }),
        ),
      ).toMatchObject({ kind: 'failed', code: 'image-mismatch' });
      expect(
        await run(
          runner,
          container('true', { architectures: [process.arch === 'arm64' ? 'amd64' : 'arm64'] }),
        ),
      ).toMatchObject({ kind: 'failed', code: 'image-mismatch' });
    });

    test('of a missing image say so', async () => {
      const missing = parseReference(
        image.kind === 'registry' ? `${image.registry}/ci/nothing:1` : '',
      );
      if (missing === undefined) throw new Error('no reference');
      const work = container('true', { image: missing });
      expect(await run(runner, work)).toMatchObject({
        kind: 'failed',
        code: 'fetch-failed',
        transient: true,
        detail: expect.stringMatching(/nothing/),
      });
      expect(
        await run(runner, container(undefined, { entrypoint: ['/no/such/program'] })),
      ).toMatchObject({ kind: 'failed', message: expect.stringMatching(/127|could not start/) });
    });
  },
);

/** crun refuses machines with both kinds of cgroups, so this wrapper hides them. */
function runtimeHere(folder: string): string {
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) return '/usr/bin/crun';
  const wrapper = join(folder, 'crun');
  writeFileSync(
    wrapper,
    "#!/bin/sh\nexec unshare -m --propagation private sh -c 'mount -t tmpfs none " +
      `/sys/fs/cgroup; exec /usr/bin/crun "$@"' crun "$@"\n`,
    { mode: 0o755 },
  );
  return wrapper;
}
