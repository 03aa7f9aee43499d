import { isRoot } from '../../../places/reachable.ts';
import { bubblewrapWorks } from './bubblewrap.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { findCgroups } from '../cgroup/tree.ts';
import { DEFAULT_UIDS } from './job-users.ts';
import { asUser } from './script.ts';
import { JOB_PATH } from '../../run/environment.ts';

/**
 * What confines jobs besides users and rlimits.
 * - sandbox: jobs see the system read-only, nothing of each other and, unless granted, no network
 * - cgroups: the parent of the cgroups of jobs; the kernel limits memory, cores and tasks of each
 *   job's processes
 */
export type Isolation = {
  readonly sandbox: 'bubblewrap' | 'none';
  readonly cgroups: Cgroup | undefined;
};

/** Users and rlimits only. */
export const PLAIN: Isolation = { sandbox: 'none', cgroups: undefined };

/** For the log: `bubblewrap + cgroup v2`, `bubblewrap + rlimits`, `cgroup v1`, `rlimits`. */
export function describeIsolation({ sandbox, cgroups }: Isolation): string {
  return [
    ...(sandbox === 'bubblewrap' ? ['bubblewrap'] : []),
    cgroups === undefined ? 'rlimits' : `cgroup v${cgroups.version}`,
  ].join(' + ');
}

const found = new Map<number | undefined, Isolation>();

/**
 * Tries what this machine allows, once for each account.
 *
 * @param uid user that jobs run as; undefined: that of the service
 */
export function findIsolation(uid: number | undefined): Isolation {
  const known = found.get(uid);
  if (known !== undefined) return known;
  const as = uid === undefined ? [] : asUser(uid);
  const sandbox = bubblewrapWorks(as, { PATH: JOB_PATH }) ? 'bubblewrap' : 'none';
  const isolation: Isolation = { sandbox, cgroups: findCgroups() };
  found.set(uid, isolation);
  return isolation;
}

/** The isolation for the users that jobs have by default. */
export function findDefaultIsolation(): Isolation {
  return findIsolation(isRoot() ? DEFAULT_UIDS.first : undefined);
}

/** What is missing for `required`, and what to do about it; undefined when nothing is missing. */
export function isolationProblem({ sandbox, cgroups }: Isolation): string | undefined {
  const missing = [
    ...(sandbox === 'bubblewrap'
      ? []
      : ['bubblewrap does not work here: install it, and allow user namespaces']),
    ...(cgroups === undefined
      ? [
          isRoot()
            ? 'no cgroups can be made here: mount them writable with memory, pids and cpu'
            : 'no cgroups can be made here: let systemd delegate one ' +
              '(Delegate=yes, DelegateSubgroup=main)',
        ]
      : []),
  ];
  return missing.length === 0
    ? undefined
    : `the site requires isolation, and ${missing.join('; ')}`;
}
