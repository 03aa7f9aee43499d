import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { ended } from '../../src/plugins/contract/workloads.ts';
import type { Assignment, JobRunner, Outcome } from '../../src/runners/port.ts';

export {
  ended,
  HELD,
  newJob,
  patiently,
  runToEnd as run,
  shell,
  until,
  workload,
} from '../../src/plugins/contract/workloads.ts';

/** May tests give jobs their own users? */
export const asRoot = process.getuid?.() === 0;

/** A fresh directory for jobs that other users may enter; that of TMPDIR may be closed to them. */
export function temporaryRoot(): string {
  const root = mkdtempSync('/var/tmp/runner-test-');
  chmodSync(root, 0o711);
  return root;
}

export function removeRoot(root: string): void {
  rmSync(root, { recursive: true, force: true });
}

/** Gives a job to a runner and polls until it has ended. */
export async function runJob(runner: JobRunner, assignment: Assignment): Promise<Outcome> {
  await runner.submit(assignment);
  return ended(runner, assignment.job);
}
