import { spawnSync } from 'node:child_process';

/** Why a Debian package's engine is not available; undefined if it is. */
export type Missing = string | undefined;

/** All Debian packages that tests use: engines, clients, a browser. */
const PACKAGES = [
  'bubblewrap',
  'openssl',
  'unzip',
  'python3',
  'curl',
  'python3-nbclient',
  'python3-nbconvert',
  'python3-ipykernel',
  'python3-numpy',
  'python3-scipy',
  'python3-matplotlib',
  'python3-pandas',
  'python3-astropy',
  'podman',
  'runc',
  'crun',
  'runsc',
  'conmon',
  'slirp4netns',
  'docker.io',
  'docker-registry',
  'busybox-static',
  'slurmctld',
  'slurmd',
  'slurm-client',
  'slurmrestd',
  'slurm-wlm-jwt-plugin',
  'munge',
  'gridengine-master',
  'gridengine-exec',
  'gridengine-client',
  'openmpi-bin',
  'libopenmpi-dev',
  'swift-proxy',
  'swift-account',
  'swift-container',
  'swift-object',
  'memcached',
  'python3-pyvo',
  'stilts',
  'default-jre-headless',
  'default-jdk-headless',
  'maven',
  'python3-pip',
  'python3-venv',
  'cwltool',
  'snakemake',
  'nodejs',
  'chromium',
  'firefox-esr',
  'prometheus',
  'tmux',
  'zsh',
  'fish',
] as const;

/** A new one belongs in the list, so that one install has all of them. */
export type Package = (typeof PACKAGES)[number];

/** @returns why tests that need these packages cannot run, for the title of a test */
export function needs(...names: readonly Package[]): Missing {
  const missing = names.filter((name) => !isInstalled(name));
  return missing.length === 0 ? undefined : `there is no ${missing.join(', ')}`;
}

/**
 * Installs missing packages. It needs root, apt and a mirror; the tests of packages that are still
 * missing are skipped, and the end of the run names them.
 */
export function installEngines(say: (line: string) => void): void {
  const missing = PACKAGES.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0)
    return say(`Not root, so these Debian packages are not installed: ${missing.join(' ')}`);
  say(`Installs these Debian packages: ${missing.join(' ')}`);
  const update = apt('update');
  if (update.error !== undefined) return say(`There is no apt: ${update.error.message}`);
  if (apt('install', '-y', '--no-install-recommends', ...missing).status === 0) return;
  // Installed one by one, since the mirror may lack some.
  for (const name of missing) {
    const { status, stderr } = apt('install', '-y', '--no-install-recommends', name);
    if (status !== 0) say(`Not installed: ${name}: ${last(stderr)}`);
  }
}

function isInstalled(name: string): boolean {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Status}', name], {
    encoding: 'utf8',
  });
  return status === 0 && stdout === 'install ok installed';
}

function apt(...words: readonly string[]) {
  return spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=600', ...words], {
    encoding: 'utf8',
    timeout: 1_800_000,
    maxBuffer: 2 ** 26,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function last(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
