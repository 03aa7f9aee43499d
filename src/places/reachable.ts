import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CannotStart } from '../words/cannot-start.ts';

/**
 * True when what we start runs under other accounts: the database as `nobody`,
 * each job as a user of its own.
 */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * What keeps others from a path: a folder that they may not pass (`x`) or a
 * file that they may not read (`r`).
 */
type Obstacle = { readonly path: string; readonly mode: string; readonly right: 'x' | 'r' };

/**
 * Can every account of the machine pass to this folder, or read this file? Access
 * control lists are not looked at.
 */
export function isReachable(path: string): boolean {
  return obstacleTo(path) === undefined;
}

/**
 * @throws CannotStart that names what of `path` other accounts may
 * not pass or read, and what to do.
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
 * The way to a symbolic link must be open, and the way to what it stands for. What
 * does not exist is no obstacle.
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
