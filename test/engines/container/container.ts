import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { engineApi, type EngineApi } from '../../../src/runners/container/api.ts';
import { readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import { CONTAINER_JOB_LABEL } from '../../../src/runners/container/inspected.ts';
import type { ContainerSettings, EngineAddress } from '../../../src/runners/container/settings.ts';
import { parseReference, type RegistryImage } from '../../../src/tasks/image.ts';
import { isRecord } from '../../../src/words/record.ts';
import { seconds } from '../../../src/words/units.ts';
import { makeCertificates, type Certificates } from '../certificates.ts';
import { command, daemon, freePort, type Daemon } from '../daemon.ts';

/**
 * A registry on this machine with the images of the tests, and a
 * container engine of the test's own.
 */
export type ContainerEngine = {
  readonly name: 'podman' | 'docker';
  readonly folder: string;
  readonly registry: string;
  readonly socket: string;
  /** the same engine at a port, with certificates on both sides; Docker only */
  readonly tcp: EngineAddress | undefined;
  readonly api: EngineApi;
  readonly settings: (more?: Partial<ContainerSettings>) => ContainerSettings;
  /** Stops the service and starts it again; containers go on. */
  readonly restart: () => Promise<void>;
  /** A registry that asks for a password, with the image of the tests in it. */
  readonly openGuarded: () => Promise<{
    readonly address: string;
    readonly auth: object;
    readonly stop: () => Promise<void>;
  }>;
  readonly stopService: () => Promise<void>;
  readonly startService: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Debian packages of the engines. */
export const PACKAGES = {
  podman: ['podman', 'runc', 'conmon', 'docker-registry', 'busybox-static', 'openssl'],
  docker: ['docker.io', 'runc', 'podman', 'docker-registry', 'busybox-static', 'openssl'],
} as const;

/** gVisor, where Debian has it. */
export const RUNSC = '/usr/bin/runsc';

/** As the image of the tests is called in the registry, and the one with Python. */
export const IMAGE = 'ci/bb:1';
export const PYTHON_IMAGE = 'ci/python:3';

/** Of the registry that asks for them; the second is the first as htpasswd has it. */
const CREDENTIALS = 'ada:of the test';
const PASSWORD_LINE = 'ada:$2b$04$K05gBroasCN.6HjAcBRVue1RfnQZoPrDocphGi/AdIpAibEYXe2Z.';

export function imageOf(registry: string, path: string): RegistryImage {
  const image = parseReference(`${registry}/${path}`);
  if (image === undefined) throw new Error(`no reference: ${registry}/${path}`);
  return image;
}

const TOOLS = [
  'sh',
  'echo',
  'cat',
  'sleep',
  'env',
  'id',
  'ls',
  'head',
  'tr',
  'mkdir',
  'touch',
  'wc',
  'setsid',
  'grep',
  'mount',
  'chmod',
  'ln',
  'seq',
  'printf',
  'ip',
  'test',
  'kill',
  'true',
  'uname',
  'dmesg',
];

type Tls = { readonly port: number; readonly certificates: Certificates };

/**
 * Starts an engine with everything private to it.
 *
 * @param python whether there is an image with Python too, which takes seconds
 */
export async function openContainerEngine(
  name: ContainerEngine['name'],
  { python = false } = {},
): Promise<ContainerEngine> {
  const folder = mkdtempSync('/var/tmp/engine-test-');
  // Jobs have users of their own, who must get to their directory.
  chmodSync(folder, 0o711);
  const socket = join(folder, 'engine.sock');
  const { address: registry, registry: serving } = await startRegistry(folder, 'registry');
  const guardedPort = await freePort();
  const tls: Tls = { port: await freePort(), certificates: makeCertificates(folder) };
  const env = podmanEnvironment(folder, [registry, `127.0.0.1:${guardedPort}`]);
  let service: Daemon | undefined;
  const startService = async (): Promise<void> => {
    const [program, words] = serviceOf(name, folder, registry, socket, tls);
    service = await daemon(program, words, {
      log: join(folder, `${name}.log`),
      env,
      ready: () => answers({ socketPath: socket }, '/version'),
    });
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
    if (python) pushPython(folder, registry, env);
    await startService();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    tcp:
      name === 'docker'
        ? {
            kind: 'tcp',
            host: '127.0.0.1',
            port: tls.port,
            tls: { ca: tls.certificates.ca, ...tls.certificates.client },
          }
        : undefined,
    name,
    folder,
    registry,
    socket,
    api,
    close,
    startService,
    stopService,
    openGuarded: async () => {
      writeFileSync(join(folder, 'htpasswd'), `${PASSWORD_LINE}\n`);
      const { address, registry: guarded } = await startRegistry(folder, 'guarded', {
        at: guardedPort,
        more: `auth: {htpasswd: {realm: test, path: ${join(folder, 'htpasswd')}}}\n`,
      });
      const image = `${address}/${IMAGE}`;
      command(
        'podman',
        [
          'import',
          '--change',
          'CMD ["/bin/sh","-c","echo guarded"]',
          '--change',
          'ENV PATH=/bin',
          join(folder, 'rootfs.tar'),
          image,
        ],
        { env },
      );
      command('podman', ['push', '--creds', CREDENTIALS, image], { env });
      command('podman', ['rmi', image], { env });
      return {
        address,
        auth: { auths: { [address]: { auth: Buffer.from(CREDENTIALS).toString('base64') } } },
        stop: guarded.stop,
      };
    },
    restart: async () => {
      await stopService();
      await startService();
    },
    settings: (more = {}) => ({
      address: { kind: 'unix', path: socket },
      runtime: undefined,
      user: 'job',
      outbound: undefined,
      auth: undefined,
      pull: 'always',
      pullLimit: seconds(60),
      unreachableLimit: seconds(60),
      tasks: 100,
      gpus: {},
      images: {
        executable: imageOf(registry, IMAGE),
        'python-program': imageOf(registry, PYTHON_IMAGE),
      },
      ...more,
    }),
  };
}

async function startRegistry(
  folder: string,
  name: string,
  { more = '', at }: { readonly more?: string; readonly at?: number } = {},
): Promise<{ readonly address: string; readonly registry: Daemon }> {
  const port = at ?? (await freePort());
  const file = join(folder, `${name}.yml`);
  writeFileSync(
    file,
    'version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\n' +
      `storage: {filesystem: {rootdirectory: ${join(folder, name)}}}\n` +
      `http: {addr: "127.0.0.1:${port}"}\n${more}`,
  );
  const registry = await daemon('docker-registry', ['serve', file], {
    log: join(folder, `${name}.log`),
    ready: () => answers({ host: '127.0.0.1', port }, '/v2/'),
  });
  return { address: `127.0.0.1:${port}`, registry };
}

function answers(
  options: { socketPath?: string; host?: string; port?: number },
  path: string,
): Promise<boolean> {
  return new Promise((resolve) => {
    request({ ...options, path }, (answer) => {
      answer.resume();
      resolve((answer.statusCode ?? 500) < 500);
    })
      .once('error', () => resolve(false))
      .end();
  });
}

/**
 * Podman with all of its own: no setting of the machine is read or changed. Its
 * commands and its service use it.
 */
function podmanEnvironment(folder: string, registries: readonly string[]): NodeJS.ProcessEnv {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    CONTAINERS_STORAGE_CONF: write(
      'storage.conf',
      `[storage]\ndriver="overlay"\ngraphroot="${folder}/store"\nrunroot="${folder}/run"\n`,
    ),
    CONTAINERS_REGISTRIES_CONF: write(
      'registries.conf',
      'unqualified-search-registries=[]\n' +
        `${registries.map((registry) => `[[registry]]\nlocation="${registry}"\ninsecure=true\n`).join('')}`,
    ),
    // Debian's crun refuses machines with both kinds of cgroups, and the limits that Podman sets
    // by itself need a capability.
    CONTAINERS_CONF: write(
      'containers.conf',
      `[engine]\ncgroup_manager="cgroupfs"\ntmp_dir="${folder}/tmp"\n` +
        `volume_path="${folder}/volumes"\nevents_logger="file"\n` +
        `${existsSync('/sys/fs/cgroup/cgroup.controllers') ? '' : 'runtime="runc"\n'}[containers]\n` +
        'log_driver="k8s-file"\nnetns="none"\n' +
        'default_ulimits=["nofile=4096:4096","nproc=4096:4096"]\n[network]\n' +
        `network_config_dir="${folder}/networks"\n`,
    ),
  };
}

function serviceOf(
  name: ContainerEngine['name'],
  folder: string,
  registry: string,
  socket: string,
  { port, certificates: { ca, server } }: Tls,
): readonly [string, readonly string[]] {
  switch (name) {
    case 'podman':
      return ['podman', ['system', 'service', '--time=0', `unix://${socket}`]];
    case 'docker':
      return [
        'dockerd',
        [
          '--data-root',
          join(folder, 'data'),
          '--exec-root',
          join(folder, 'exec'),
          '--pidfile',
          join(folder, 'docker.pid'),
          '-H',
          `unix://${socket}`,
          // Nothing of the machine's network is touched; containers outlive the service.
          '--iptables=false',
          '--ip6tables=false',
          '--bridge=none',
          '--ip-forward=false',
          '--ip-masq=false',
          '--userland-proxy=false',
          '--live-restore',
          '--storage-driver',
          'overlay2',
          '--insecure-registry',
          registry,
          '--config-file',
          dockerConfig(folder),
          '-H',
          `tcp://127.0.0.1:${port}`,
          '--tlsverify',
          '--tlscacert',
          ca,
          '--tlscert',
          server.cert,
          '--tlskey',
          server.key,
        ],
      ];
    default:
      return name satisfies never;
  }
}

/** Settings of dockerd that it takes from a file only; its own file in /etc is not read. */
function dockerConfig(folder: string): string {
  const file = join(folder, 'daemon.json');
  const runtimes = existsSync(RUNSC)
    ? { runsc: { path: RUNSC, runtimeArgs: ['--network=none', '--platform=ptrace'] } }
    : {};
  writeFileSync(
    file,
    JSON.stringify({ runtimes, 'deprecated-key-path': join(folder, 'key.json') }),
  );
  return file;
}

async function removeContainers(api: EngineApi): Promise<void> {
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

/** Unmounts what an engine leaves mounted below its folder. */
function unmountBelow(folder: string): void {
  const mounts = command('cat', ['/proc/self/mounts'])
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.toReversed()) command('umount', ['-l', path]);
}

/**
 * The parents of containers' cgroups stay behind. Another engine's are left to
 * it: it may be about to use them.
 */
function removeCgroups(): void {
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

function pushImage(folder: string, registry: string, env: NodeJS.ProcessEnv): void {
  const file = rootFileSystem(folder);
  const name = `${registry}/${IMAGE}`;
  command(
    'podman',
    [
      'import',
      '--change',
      'CMD ["/bin/sh","-c","echo the command of the image"]',
      '--change',
      'ENV PATH=/bin',
      '--change',
      'USER 0',
      '--change',
      'VOLUME /declared',
      file,
      name,
    ],
    { env },
  );
  command('podman', ['push', name], { env });
  command('podman', ['save', '--format', 'docker-archive', '-o', join(folder, 'image.tar'), name], {
    env,
  });
  command('podman', ['rmi', name], { env });
}

/** An image of busybox alone, as an archive that `podman import` reads. */
function rootFileSystem(folder: string): string {
  const root = join(folder, 'rootfs');
  mkdirSync(join(root, 'bin'), { recursive: true });
  cpSync('/bin/busybox', join(root, 'bin', 'busybox'));
  for (const tool of TOOLS) symlinkSync('busybox', join(root, 'bin', tool));
  command('tar', ['-C', root, '-cf', join(folder, 'rootfs.tar'), '.']);
  return join(folder, 'rootfs.tar');
}

/**
 * The machine's own Python with its standard library, if it is where Debian has
 * it, over the image of busybox.
 */
function pushPython(folder: string, registry: string, env: NodeJS.ProcessEnv): void {
  const python = realpathSync('/usr/bin/python3');
  const library = `/usr/lib/${basename(python)}`;
  const linked = [
    python,
    ...readdirSync(join(library, 'lib-dynload')).map((name) => join(library, 'lib-dynload', name)),
  ];
  const libraries = new Set(
    [...command('ldd', linked).matchAll(/(\/\S+\.so\S*) \(0x/g)].map(([, path = '']) => path),
  );
  const list = [python, '/usr/bin/python3', library, ...libraries].map((path) => path.slice(1));
  command('tar', [
    '-C',
    '/',
    '-chf',
    join(folder, 'python.tar'),
    '--exclude=__pycache__',
    '--exclude=*/test',
    '--exclude=*/idlelib',
    '--exclude=*/ensurepip',
    '--exclude=*/lib2to3',
    '--exclude=*/pydoc_data',
    '--exclude=*/config-*',
    '--exclude=*/tkinter',
    ...new Set(list),
  ]);
  const root = join(folder, 'rootfs');
  command('tar', ['-C', root, '-xf', join(folder, 'python.tar')]);
  command('tar', ['-C', root, '-cf', join(folder, 'python.tar'), '.']);
  const name = `${registry}/${PYTHON_IMAGE}`;
  command(
    'podman',
    ['import', '--change', 'ENV PATH=/usr/bin:/bin', join(folder, 'python.tar'), name],
    { env },
  );
  command('podman', ['push', name], { env });
  command('podman', ['rmi', name], { env });
}
