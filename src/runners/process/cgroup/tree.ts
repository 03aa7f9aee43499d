import { spawnSync } from 'node:child_process';
import { rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mebibytes, millicores, seconds } from '../../../words/units.ts';
import { cgroupOf, createCgroup, joinFiles, type Cgroup } from './cgroup.ts';
import { readOrNothing } from './read-or-nothing.ts';

/**
 * The parent of all cgroups of jobs on this machine; the first job makes it and the last removes
 * it.
 */
const NAME = 'execution-planner';
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;

/** One mounted cgroup file system, as /proc/self/mountinfo tells it. */
type Mount = {
  readonly path: string;
  readonly kind: 'cgroup' | 'cgroup2';
  readonly options: readonly string[];
};

/**
 * The cgroup file systems of `mountinfo` that show their tree from its root. A mount of a subtree
 * belongs to somebody else.
 */
export function cgroupMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line): readonly Mount[] => {
    const [, , , root, path = '', ...rest] = line.split(' ');
    const [kind, , options = ''] = rest.slice(rest.indexOf('-') + 1);
    return root === '/' && (kind === 'cgroup' || kind === 'cgroup2')
      ? [{ path, kind, options: options.split(',') }]
      : [];
  });
}

/**
 * The version 2 cgroup that is delegated to this service, or undefined. A service that runs in a
 * cgroup below the one of its unit may divide the latter (systemd: Delegate=yes and
 * DelegateSubgroup=).
 *
 * @param membership what /proc/self/cgroup says
 */
export function delegatedCgroup(membership: string): string | undefined {
  const parent = dirname(/^0::(\/.*)$/m.exec(membership)?.[1] ?? '/');
  return /\.(?:service|scope)$/.test(basename(parent)) ? parent : undefined;
}

const TRIAL = {
  cores: millicores(1000),
  memory: mebibytes(64),
  scratch: mebibytes(0),
  wallTime: seconds(1),
};

/**
 * Finds by trying where this machine lets us make cgroups; undefined: nowhere. Blocks for some ms.
 */
export function findCgroups(): Cgroup | undefined {
  const mounts = cgroupMounts(readOrNothing('/proc/self/mountinfo'));
  const trees = [versionTwo(mounts), versionOne(mounts)];
  return trees.find((tree) => tree !== undefined && works(tree));
}

function versionTwo(mounts: readonly Mount[]): Cgroup | undefined {
  const mount = mounts.find(({ kind }) => kind === 'cgroup2')?.path;
  if (mount === undefined) return undefined;
  const delegated = delegatedCgroup(readOrNothing('/proc/self/cgroup'));
  const parent = delegated === undefined ? mount : join(mount, delegated);
  const control = join(parent, 'cgroup.subtree_control');
  if (
    delegated !== undefined &&
    allIn(words(join(parent, 'cgroup.controllers'))) &&
    !allIn(words(control))
  ) {
    try {
      writeFileSync(control, '+memory +pids +cpu');
    } catch {
      return undefined;
    }
  }
  // At the root the machine's administrator decides which controllers are enabled.
  if (!allIn(words(control))) return undefined;
  const path = join(parent, NAME);
  return { version: 2, memory: path, pids: path, cpu: path };
}

function allIn(enabled: readonly string[]): boolean {
  return CONTROLLERS.every((name) => enabled.includes(name));
}

function words(path: string): readonly string[] {
  return readOrNothing(path).trim().split(/\s+/);
}

function versionOne(mounts: readonly Mount[]): Cgroup | undefined {
  const [memory, pids, cpu] = CONTROLLERS.map(
    (name) => mounts.find(({ kind, options }) => kind === 'cgroup' && options.includes(name))?.path,
  );
  if (memory === undefined || pids === undefined || cpu === undefined) return undefined;
  return { version: 1, memory: join(memory, NAME), pids: join(pids, NAME), cpu: join(cpu, NAME) };
}

/** Makes a cgroup with limits and puts a process there. */
function works(tree: Cgroup): boolean {
  const trial = cgroupOf(tree, `trial-${process.pid}`);
  try {
    createCgroup(trial, TRIAL, 16);
    const script = joinFiles(trial)
      .map((path) => `echo 0 > '${path}'`)
      .join(' && ');
    return spawnSync('/bin/sh', ['-c', script], { stdio: 'ignore', timeout: 5000 }).status === 0;
  } catch {
    return false;
  } finally {
    discard(trial);
  }
}

function discard(cgroup: Cgroup): void {
  for (const path of [cgroup.memory, cgroup.pids, cgroup.cpu]) {
    for (const one of [path, dirname(path)]) {
      try {
        rmdirSync(one);
      } catch {
        // In version 2 the three are one directory, and the parent may contain other jobs.
      }
    }
  }
}
