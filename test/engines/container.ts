import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { engineApi, type EngineApi } from '../../src/runners/container/api.ts';
import { JOB_LABEL } from '../../src/runners/container/inspected.ts';
import type { ContainerSettings } from '../../src/runners/container/settings.ts';
import { parseReference, type RegistryImage } from '../../src/tasks/image.ts';
import { isRecord } from '../../src/words/record.ts';
import { seconds } from '../../src/words/units.ts';
import { command, daemon, freePort, type Daemon } from './daemon.ts';

/** A registry on this machine with the images of the tests, and a container engine of the test's own. */
export type ContainerEngine = {
  readonly name: 'podman' | 'docker';
  readonly folder: string;
  readonly registry: string;
  readonly socket: string;
  readonly api: EngineApi;
  readonly settings: (more?: Partial<ContainerSettings>) => ContainerSettings;
  /** Stops the service and starts it again; containers go on. */
  readonly restart: () => Promise<void>;
  readonly stopService: () => Promise<void>;
  readonly startService: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Debian packages of the engines. */
export const PACKAGES = { podman: ['podman', 'runc', 'conmon', 'docker-registry', 'busybox-static'], docker: ['docker.io', 'runc', 'podman', 'docker-registry', 'busybox-static'] } as const;

/** As the image of the tests is called in the registry. */
export const IMAGE = 'ci/bb:1';

export const imageOf = (registry: string, path: string): RegistryImage => {
  const image = parseReference(`${registry}/${path}`);
  if (image === undefined) throw new Error(`no reference: ${registry}/${path}`);
  return image;
};

const answers = (options: { socketPath?: string; host?: string; port?: number }, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    request({ ...options, path }, (answer) => {
      answer.resume();
      resolve((answer.statusCode ?? 500) < 500);
    }).once('error', () => resolve(false)).end();
  });

const startRegistry = async (folder: string): Promise<{ readonly address: string; readonly registry: Daemon }> => {
  const port = await freePort();
  const file = join(folder, 'registry.yml');
  writeFileSync(file, `version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: ${join(folder, 'registry')}}}\nhttp: {addr: "127.0.0.1:${port}"}\n`);
  const registry = await daemon('docker-registry', ['serve', file], { log: join(folder, 'registry.log'), ready: () => answers({ host: '127.0.0.1', port }, '/v2/') });
  return { address: `127.0.0.1:${port}`, registry };
};

/** Podman with all of its own: no setting of the machine is read or changed. Its commands and its service use it. */
const podmanEnvironment = (folder: string, registry: string): NodeJS.ProcessEnv => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    CONTAINERS_STORAGE_CONF: write('storage.conf', `[storage]\ndriver="overlay"\ngraphroot="${folder}/store"\nrunroot="${folder}/run"\n`),
    CONTAINERS_REGISTRIES_CONF: write('registries.conf', `unqualified-search-registries=[]\n[[registry]]\nlocation="${registry}"\ninsecure=true\n`),
    // Debian's crun refuses machines with both kinds of cgroups, and the limits that Podman sets by itself need a capability.
    CONTAINERS_CONF: write('containers.conf', `[engine]\ncgroup_manager="cgroupfs"\nevents_logger="file"\n${existsSync('/sys/fs/cgroup/cgroup.controllers') ? '' : 'runtime="runc"\n'}[containers]\nlog_driver="k8s-file"\nnetns="none"\ndefault_ulimits=["nofile=4096:4096","nproc=4096:4096"]\n`),
  };
};

const TOOLS = ['sh', 'echo', 'cat', 'sleep', 'env', 'id', 'ls', 'head', 'tr', 'mkdir', 'touch', 'wc', 'setsid', 'grep', 'mount', 'chmod', 'ln', 'seq', 'printf', 'ip', 'test', 'kill', 'true', 'uname', 'dmesg'];

/** An image of busybox alone, as an archive that `podman import` reads. */
const rootFileSystem = (folder: string): Buffer => {
  const root = join(folder, 'rootfs');
  mkdirSync(join(root, 'bin'), { recursive: true });
  cpSync('/bin/busybox', join(root, 'bin', 'busybox'));
  for (const tool of TOOLS) symlinkSync('busybox', join(root, 'bin', tool));
  command('tar', ['-C', root, '-cf', join(folder, 'rootfs.tar'), '.']);
  return Buffer.from(join(folder, 'rootfs.tar'));
};

const pushImage = (folder: string, registry: string, env: NodeJS.ProcessEnv): void => {
  const file = rootFileSystem(folder).toString();
  const name = `${registry}/${IMAGE}`;
  command('podman', ['import', '--change', 'CMD ["/bin/sh","-c","echo the command of the image"]', '--change', 'ENV PATH=/bin', '--change', 'USER 0', file, name], { env });
  command('podman', ['push', name], { env });
  command('podman', ['save', '--format', 'docker-archive', '-o', join(folder, 'image.tar'), name], { env });
  command('podman', ['rmi', name], { env });
};

const serviceOf = (name: ContainerEngine['name'], folder: string, registry: string, socket: string): readonly [string, readonly string[]] => {
  switch (name) {
    case 'podman':
      return ['podman', ['system', 'service', '--time=0', `unix://${socket}`]];
    case 'docker':
      return ['dockerd', ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'docker.pid'), '-H', `unix://${socket}`,
        // Nothing of the machine's network is touched; containers outlive the service.
        '--iptables=false', '--ip6tables=false', '--bridge=none', '--ip-forward=false', '--ip-masq=false', '--userland-proxy=false', '--live-restore',
        '--storage-driver', 'overlay2', '--insecure-registry', registry, ...(existsSync('/usr/bin/runsc') ? ['--add-runtime', 'runsc=/usr/bin/runsc'] : [])]];
    default:
      return name satisfies never;
  }
};

const removeContainers = async (api: EngineApi): Promise<void> => {
  const all = await api.call({ method: 'GET', path: '/containers/json', query: { all: '1', filters: JSON.stringify({ label: [JOB_LABEL] }) } });
  for (const one of Array.isArray(all) ? all : []) {
    if (isRecord(one) && typeof one['Id'] === 'string') await api.call({ method: 'DELETE', path: `/containers/${one['Id']}`, query: { force: '1', v: '1' } }).catch(() => undefined);
  }
};

/** Unmounts what an engine leaves mounted below its folder. */
const unmountBelow = (folder: string): void => {
  const mounts = command('cat', ['/proc/self/mounts']).split('\n').map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.toReversed()) command('umount', ['-l', path]);
};

/** The parents of containers' cgroups stay behind when they are empty. */
const removeCgroups = (): void => {
  for (const controller of readdirSync('/sys/fs/cgroup')) {
    for (const parent of ['libpod_parent', 'docker']) {
      const path = join('/sys/fs/cgroup', controller, parent);
      try {
        if (existsSync(path)) rmdirSync(path);
      } catch {
        // Somebody else's containers are in it.
      }
    }
  }
};

/** Starts an engine with everything private to it. */
export const openContainerEngine = async (name: ContainerEngine['name']): Promise<ContainerEngine> => {
  const folder = mkdtempSync('/var/tmp/engine-test-');
  const socket = join(folder, 'engine.sock');
  const { address: registry, registry: serving } = await startRegistry(folder);
  const env = podmanEnvironment(folder, registry);
  let service: Daemon | undefined;
  const startService = async (): Promise<void> => {
    const [program, words] = serviceOf(name, folder, registry, socket);
    service = await daemon(program, words, { log: join(folder, `${name}.log`), env, ready: () => answers({ socketPath: socket }, '/version') });
  };
  const stopService = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };
  const api = engineApi({ kind: 'unix', path: socket });
  const close = async (): Promise<void> => {
    if (service !== undefined) await removeContainers(api).catch(() => undefined);
    await stopService();
    await serving.stop();
    unmountBelow(folder);
    removeCgroups();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    pushImage(folder, registry, env);
    await startService();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    name, folder, registry, socket, api, close, startService, stopService,
    restart: async () => {
      await stopService();
      await startService();
    },
    settings: (more = {}) => ({
      address: { kind: 'unix', path: socket }, runtime: undefined, user: 'job', outbound: undefined, auth: undefined, pull: 'always', pullLimit: seconds(60),
      unreachableLimit: seconds(60), tasks: 100, images: { executable: imageOf(registry, IMAGE), 'python-program': undefined }, ...more,
    }),
  };
};
