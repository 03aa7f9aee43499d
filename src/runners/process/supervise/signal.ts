/** Signals a process, or a group when `pid` is negative. A missing process is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: gone already.
  }
}
