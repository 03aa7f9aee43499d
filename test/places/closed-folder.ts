import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { asRoot } from '../runners/workloads.ts';

/** The part of a test's title that says why it is skipped. */
export const rootOnly = asRoot ? 'as root' : 'as root (skipped: we are not)';

/** A folder that everybody can enter, with a closed one inside, like /root. */
export type ClosedFolder = {
  readonly open: string;
  readonly closed: string;
  readonly remove: () => void;
};

// Not in the folder of TMPDIR, which may be closed itself.
export function makeClosedFolder(): ClosedFolder {
  const open = mkdtempSync('/var/tmp/planner-closed-');
  chmodSync(open, 0o755);
  const closed = join(open, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  return { open, closed, remove: () => rmSync(open, { recursive: true, force: true }) };
}
