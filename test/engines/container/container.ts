import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { engineApi, type EngineApi } from '../../../src/runners/container/api/client.ts';
import type { ContainerSettings, EngineAddress } from '../../../src/runners/container/settings.ts';
import { makeCertificates, type Certificates } from '../certificates.ts';
import { freePort } from '../../harness/free-port.ts';
import { command, daemon, type Daemon } from '../daemon.ts';
import { IMAGE, imageOf, PYTHON_IMAGE, pushImage, pushPython } from './images.ts';
import { pushNextflow, pushWorkflows } from './workflow-image.ts';
import { removeCgroups, removeContainers, unmountBelow } from './remains.ts';
import { containerSettings } from '../../runners/container/settings.ts';

/** A registry on this machine with the tests' images, and a private container engine. */
export type ContainerEngine = {
  readonly name: 'podman' | 'docker';
  readonly folder: string;
  readonly registry: string;
  readonly socket: string;
  /** the same engine at a port with mutual TLS; Docker only */
  readonly tcp: EngineAddress | undefined;
  readonly api: EngineApi;
  readonly settings: (more?: Partial<ContainerSettings>) => ContainerSettings;
  /** Restarts the service; containers continue. */
  readonly restart: () => Promise<void>;
  /** A registry with a password and the tests' image. */
  readonly openGuarded: () => Promise<{
    readonly address: string;
    readonly auth: object;
    readonly stop: () => Promise<void>;
  }>;
  /** Runs a command of Podman that shares the engine's registries. */
  readonly podman: (...words: readonly string[]) => void;
  readonly stopService: () => Promise<void>;
  readonly startService: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Debian packages of the engines. */
export const PACKAGES = {
  podman: ['podman', 'runc', 'conmon', 'docker-registry', 'busybox-static', 'openssl'],
  docker: ['docker.io', 'runc', 'podman', 'docker-registry', 'busybox-static', 'openssl'],
} as const;

/** gVisor in Debian's place. */
export const RUNSC = '/usr/bin/runsc';

/** Credentials of the guarded registry, plain and for htpasswd. */
const CREDENTIALS = 'ada:of the test';
const PASSWORD_LINE = 'ada:$2b$04$K05gBroasCN.6HjAcBRVue1RfnQZoPrDocphGi/AdIpAibEYXe2Z.';

type Images = {
  readonly python?: boolean;
  readonly packages?: readonly string[];
  readonly workflows?: boolean;
  readonly nextflow?: boolean;
};

type Tls = { readonly port: number; readonly certificates: Certificates };

/**
 * Starts an engine with all of its state in private folders.
 *
 * @param python whether to make an image with Python, too, which takes seconds
 * @param packages Debian's Python packages in that image
 * @param workflows and one with cwltool and Snakemake in addition
 * @param nextflow and one with Nextflow
 */
export async function openContainerEngine(
  name: ContainerEngine['name'],
  { python = false, packages = [], workflows = false, nextflow = false }: Images = {},
): Promise<ContainerEngine> {
  const folder = mkdtempSync('/var/tmp/engine-test-');
  // Jobs have their own users, who must reach their directories.
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
    if (python) pushPython(folder, registry, env, packages);
    if (python && workflows) pushWorkflows(folder, registry, env);
    if (nextflow) pushNextflow(folder, registry, env);
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
    podman: (...words) => void command('podman', words, { env }),
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
    settings: (more = {}) =>
      containerSettings({
        address: { kind: 'unix', path: socket },
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
 * The environment of Podman's commands and service, which reads and changes no setting of the
 * machine.
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
    // Debian's crun refuses machines with both kinds of cgroups, and Podman's default limits need a
    // capability.
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
          // The machine's network is not touched; containers outlive the service.
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

/** Settings that dockerd takes only from a file; it does not read the one in /etc. */
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
