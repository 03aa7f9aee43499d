import { join } from 'node:path';
import { shellWord } from '../../words/safe-text.ts';
import { HOST_FILE, slotsOf } from '../machines/hosts.ts';
import type { Allocation } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { BatchSystem } from './system.ts';

/** What the script of a job puts before its command, and into its environment. */
type ParallelLines = {
  readonly lines: readonly string[];
  /** variables of the script that the command sees */
  readonly given: readonly string[];
  /** what counts the script's own processes after the command; undefined: it is no parallel job */
  readonly report: string | undefined;
};

/** The program that a launcher runs on every node, to report what its processes used there. */
export function reportProgram({ task }: JobDirectory): string {
  return join(task, 'report.sh');
}

/**
 * How the script of a parallel job finds the nodes that the system chose: it writes the host file
 * and `MACHINE_HOSTS`, and names the program that reports. Without the nodes the command does not
 * start.
 */
export function parallelLines(
  { parallel }: Pick<BatchSystem, 'parallel'>,
  allocation: Allocation | undefined,
  place: JobDirectory,
): ParallelLines {
  if (allocation === undefined || parallel === undefined)
    return { lines: [], given: [], report: undefined };
  const slots = slotsOf(allocation[0]);
  return {
    lines: [
      `hosts=$(${parallel.hosts}) || hosts=`,
      `[ -n "$hosts" ] || { echo 'the node cannot list the nodes of its job' >&2; ` +
        'echo "exit 1" >&3; exit 1; }',
      `MACHINE_HOST_FILE=${shellWord(join(place.task, HOST_FILE))}`,
      `${parallel.report.variable}=${shellWord(reportProgram(place))}`,
      'MACHINE_HOSTS=',
      'index=0',
      'for host in $hosts; do',
      '  MACHINE_HOSTS="$MACHINE_HOSTS${MACHINE_HOSTS:+,}$index=$host"',
      `  echo "$host slots=${slots}" >> "$MACHINE_HOST_FILE"`,
      '  index=$((index + 1))',
      'done',
    ],
    given: ['MACHINE_HOSTS', 'MACHINE_HOST_FILE', parallel.report.variable, ...parallel.given],
    report: `(. ${shellWord(reportProgram(place))})`,
  };
}
