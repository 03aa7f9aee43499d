import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { isReachable, mustBeReachable } from '../../src/places/reachable.ts';
import { CannotStart } from '../../src/words/cannot-start.ts';
import { makeClosedFolder } from './closed-folder.ts';

const { open, closed, remove } = makeClosedFolder();
afterAll(remove);

describe('what other accounts can reach', () => {
  test('is what lies in open folders, even if it does not exist yet', () => {
    expect(isReachable(open)).toBe(true);
    expect(isReachable(join(open, 'new/folder'))).toBe(true);
    expect(isReachable(closed)).toBe(false);
    expect(isReachable(join(closed, 'new/folder'))).toBe(false);
  });

  test('is not a file that they may not read, nor what a symbolic link hides', () => {
    const file = join(open, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    expect(isReachable(file)).toBe(true);
    chmodSync(file, 0o640);
    expect(isReachable(file)).toBe(false);
    mkdirSync(join(closed, 'inside'));
    symlinkSync(join(closed, 'inside'), join(open, 'link'));
    expect(isReachable(join(open, 'link'))).toBe(false);
  });

  test('is named when it should be reached and cannot, with what to do', () => {
    const jobs = join(closed, 'jobs');
    expect(() => mustBeReachable(jobs, 'the directory of jobs')).toThrow(
      new CannotStart(
        `the directory of jobs ${jobs} cannot be reached by the users that jobs run as: ${closed} has mode 700. ` +
          `Choose another place, or allow it: chmod o+x ${closed}`,
      ),
    );
    expect(() => mustBeReachable('/usr', 'x')).not.toThrow();
  });
});
