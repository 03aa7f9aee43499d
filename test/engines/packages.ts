import { spawnSync } from 'node:child_process';

/** Why an engine of a Debian package cannot be had on this machine; undefined when it is there. */
export type Missing = string | undefined;

const isInstalled = (name: string): boolean => {
  const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Status}', name], { encoding: 'utf8' });
  return status === 0 && stdout === 'install ok installed';
};

/**
 * Installs Debian packages unless they are there. It needs root, apt and a mirror; installs of several tests queue.
 *
 * @returns why not, in a few words for the title of a test
 */
export const install = (...names: readonly string[]): Missing => {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return undefined;
  if (process.getuid?.() !== 0) return `it needs root to install ${missing.join(', ')}`;
  const apt = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=600', ...missing],
    { encoding: 'utf8', timeout: 600_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (apt.error !== undefined) return `there is no apt (${apt.error.message})`;
  return apt.status === 0 ? undefined : `apt could not install ${missing.join(', ')}: ${apt.stderr.trim().split('\n').at(-1) ?? ''}`;
};
