import { readFileSync } from 'node:fs';

/** What a file of the kernel says; '' where it is missing: nothing is in a cgroup that is gone. */
export function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
