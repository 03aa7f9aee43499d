import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own. */
export type SmallDisc = {
  readonly folder: string;
  readonly remount: (how: 'ro' | 'rw') => void;
  readonly remove: () => void;
};

/** @param size in the form of `mount` @returns undefined if we may not mount */
export function openSmallDisc(size: string): SmallDisc | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'planner-disc-'));
  if (!mount('-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder)) {
    rmdirSync(folder);
    return undefined;
  }
  return {
    folder,
    remount: (how) => void mount('-o', `remount,${how}`, folder),
    remove: () => {
      spawnSync('umount', [folder], { stdio: 'ignore' });
      rmdirSync(folder);
    },
  };
}

/** May we mount one on this machine? */
export const canMount = ((): boolean => {
  const disc = openSmallDisc('1m');
  disc?.remove();
  return disc !== undefined;
})();

function mount(...words: readonly string[]): boolean {
  return spawnSync('mount', words, { stdio: 'ignore' }).status === 0;
}
