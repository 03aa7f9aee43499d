import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CannotStart } from '../words/cannot-start.ts';

/**
 * Do our child processes run under other accounts? If so, the database runs as `nobody` and each
 * job as its own user.
 */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * What keeps other accounts from a path: a folder that they may not enter (`x`) or a file that they
 * may not read (`r`).
 */
type Obstacle = { readonly path: string; readonly mode: string; readonly right: 'x' | 'r' };

/**
 * Can every account of the machine enter this folder, or read this file? Access control lists are
 * ignored.
 */
export function isReachable(path: string): boolean {
  return obstacleTo(path) === undefined;
}

/**
 * @throws CannotStart that names the part of `path` that other accounts may not enter or read, and
 * the remedy
 */
export function mustBeReachable(path: string, what: string): void {
  const obstacle = obstacleTo(path);
  if (obstacle === undefined) return;
  throw new CannotStart(
    `${what} ${path} cannot be reached by the users that jobs run as: ${obstacle.path} has mode ${obstacle.mode}. ` +
      `Choose another place, or allow it: chmod o+${obstacle.right} ${obstacle.path}`,
  );
}

/**
 * The first obstacle on the way to a path. The way to a symbolic link and the way to its target
 * must be open. A path that does not exist is not an obstacle.
 */
function obstacleTo(path: string): Obstacle | undefined {
  const way = resolve(path);
  const exists = statSync(way, { throwIfNoEntry: false }) !== undefined;
  return obstacleOn(way) ?? (exists ? obstacleOn(realpathSync(way)) : undefined);
}

function obstacleOn(path: string): Obstacle | undefined {
  for (let at = path; ; at = dirname(at)) {
    const found = statSync(at, { throwIfNoEntry: false });
    const [bit, right] =
      found?.isFile() === true ? ([0o004, 'r'] as const) : ([0o001, 'x'] as const);
    if (found !== undefined && (found.mode & bit) === 0) {
      return { path: at, mode: (found.mode & 0o777).toString(8), right };
    }
    if (at === dirname(at)) return undefined;
  }
}
