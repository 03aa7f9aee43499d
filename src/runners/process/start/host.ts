import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isRoot, mustBeReachable } from '../../../places/reachable.ts';
import type { Stager } from '../../../storage/stager.ts';
import type { UrlPolicy } from '../../../tasks/url-policy.ts';
import type { IsolationWish } from '../settings.ts';
import { findIsolation, isolationProblem, PLAIN, type Isolation } from './isolation.ts';
import { DEFAULT_UIDS, jobUsers, type JobUsers, type UidRange } from './job-users.ts';
import { JOB_PATH } from '../../run/environment.ts';

/** Settings of the runners that use this machine. */
export type LocalSettings = {
  /** absolute directory with one directory per job; made when missing */
  readonly jobsRoot: string;
  /** name of this machine, the same after every restart; its host name when absent */
  readonly host?: string | undefined;
  /**
   * Users that jobs run as. When absent: users of their own (61184-65519) when the service is root,
   * and the service's user when it is not. `service` as root means that jobs run as root: only for
   * a throw-away machine.
   */
  readonly uids?: UidRange | 'service';
  /**
   * most processes and threads of one job that has a cgroup or a user of its own; 512 when absent
   */
  readonly tasks?: number;
  /** more isolation of jobs; what the machine allows when absent */
  readonly isolation?: Isolation;
  readonly urls: UrlPolicy;
  /** moves the contents of volumes; without one, jobs have scratch space only */
  readonly stager?: Stager | undefined;
};

/** What a machine and its settings allow, found out once. */
export type JobHost = {
  readonly jobsRoot: string;
  readonly host: string;
  readonly users: JobUsers | undefined;
  readonly tasks: number;
  readonly isolation: Isolation;
  readonly urls: UrlPolicy;
  readonly stager: Stager | undefined;
};

/**
 * Path of a program in the PATH of jobs, as execvp would find it, or undefined. A name with a slash
 * is taken as a path, relative to `directory`. A path with `=` is skipped: env, which starts the
 * job, would take it for a variable.
 */
export function resolveProgram(name: string, directory: string): string | undefined {
  const paths = name.includes('/')
    ? [resolve(directory, name)]
    : JOB_PATH.split(':').map((entry) => join(entry, name));
  return paths.find((path) => {
    if (path.includes('=')) return false;
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  });
}

/**
 * Checks the machine once, when the service starts.
 *
 * @param wish what the site says of the isolation of these jobs
 * @throws Error that says what to change when jobs could not run with these settings.
 */
export function prepareHost(settings: LocalSettings, wish: IsolationWish = 'preferred'): JobHost {
  const {
    jobsRoot,
    host = hostname(),
    uids = isRoot() ? DEFAULT_UIDS : 'service',
    tasks = 512,
    urls,
    stager,
  } = settings;
  if (process.platform !== 'linux')
    throw new Error('jobs are run and watched by means of /proc, which only Linux has');
  if (!isAbsolute(jobsRoot))
    throw new Error(`the directory of jobs must be an absolute path, not ${jobsRoot}`);
  const needed = [
    'setsid',
    'env',
    'sleep',
    'grep',
    'cut',
    ...(uids === 'service' ? [] : ['setpriv']),
  ];
  const missing = needed.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) {
    const names = `${missing.join(', ')} (of coreutils, util-linux and grep)`;
    throw new Error(`programs that the runners need are missing in ${JOB_PATH}: ${names}`);
  }
  const mode = uids === 'service' ? 0o700 : 0o711;
  // The umask may have taken rights away from a new directory.
  if (mkdirSync(jobsRoot, { recursive: true, mode }) !== undefined) chmodSync(jobsRoot, mode);
  const {
    isolation = wish === 'none'
      ? PLAIN
      : findIsolation(uids === 'service' ? undefined : uids.first),
  } = settings;
  const problem = wish === 'required' ? isolationProblem(isolation) : undefined;
  if (problem !== undefined) throw new Error(problem);
  if (uids === 'service')
    return { jobsRoot, host, users: undefined, tasks, isolation, urls, stager };
  if (!isRoot()) throw new Error('only root can give jobs users of their own: leave `uids` out');
  if (uids.first < 1 || uids.last < uids.first || uids.last >= 2 ** 31) {
    throw new Error(`not a range of user ids: ${uids.first}-${uids.last}`);
  }
  mustBeReachable(jobsRoot, 'the directory of jobs');
  return {
    jobsRoot,
    host,
    users: jobUsers(jobsRoot, join(jobsRoot, '.uids'), uids),
    tasks,
    isolation,
    urls,
    stager,
  };
}

/** Without its loopback, the processes of a job that talk to each other (MPI) would not. */
const LOOPBACK = ['/bin/sh', '-c', 'ip link set lo up 2>/dev/null; exec "$@"', 'sh'];

/**
 * Words that start a command without a network; none where the machine does not allow it, which is
 * tried here.
 */
export function networkIsolation(): readonly string[] {
  const ways = [
    ['unshare', '--net'],
    ['unshare', '--user', '--map-current-user', '--net'],
  ];
  const works = ([program = '', ...words]: readonly string[]): boolean =>
    spawnSync(program, [...words, 'true'], {
      stdio: 'ignore',
      env: { PATH: JOB_PATH },
      timeout: 5000,
    }).status === 0;
  const way = ways.find(works);
  return way === undefined ? [] : [...way, ...LOOPBACK];
}

function findProgram(name: string): string | undefined {
  return JOB_PATH.split(':')
    .map((directory) => join(directory, name))
    .find(existsSync);
}
