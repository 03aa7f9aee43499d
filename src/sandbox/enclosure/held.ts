import { readFileSync, readlinkSync } from 'node:fs';

/** The first child of a process; undefined if there is none, or the kernel does not tell. */
export function firstChildOf(pid: number | undefined): number | undefined {
  try {
    const first = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10);
    return Number.isNaN(first) ? undefined : first;
  } catch {
    return undefined;
  }
}

/** Whether a process has a filter of calls, and neither our network nor our processes. */
export function isHeld(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const isAlone = ['net', 'pid', 'mnt'].every(
      (name) => readlinkSync(`/proc/${pid}/ns/${name}`) !== readlinkSync(`/proc/self/ns/${name}`),
    );
    return isAlone && /^Seccomp:\t2$/m.test(status);
  } catch {
    return false;
  }
}
