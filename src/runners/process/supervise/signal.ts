/**
 * Signals a process, or a group when `pid` is negative; one that is
 * gone already is what was wanted.
 */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: gone already.
  }
}
