import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../words/system-error.ts';
import { MARKER } from '../run/environment.ts';
import { shellWord } from '../../words/safe-text.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Allocation, Limits, Usage } from '../port.ts';
import { reportLine, usageIn } from '../run/usage.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { parallelLines } from './hosts.ts';
import type { BatchSystem } from './system.ts';

/** The directory in which the node reports; the job's user can write there. */
export function nodeDirectory({ root }: JobDirectory): string {
  return join(root, 'node');
}

/** The file with the node's report. */
export function nodeStatus(place: JobDirectory): string {
  return join(nodeDirectory(place), 'status');
}

/** Makes sure that no run of a job begins on any node. @returns false when one has begun */
export async function forestall(place: JobDirectory): Promise<boolean> {
  try {
    await mkdir(begunDirectory(place), { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * The script for the batch system: two lines. Everything of the client's stays in files of the job's
 * directory.
 */
export function batchScript(place: JobDirectory): string {
  return `#!/bin/sh\nexec /bin/sh ${shellWord(place.script)}\n`;
}

type NodeJob = {
  readonly place: JobDirectory;
  readonly command: NonEmpty<string>;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** of a parallel job */
  readonly allocation?: Allocation | undefined;
  /** false for a container, whose processes are not below the script */
  readonly isCounted: boolean;
  readonly system: Pick<BatchSystem, 'idVariable' | 'given' | 'parallel'>;
};

/** How often files are counted, seconds. */
const COUNT_S = 3;

/**
 * The /bin/sh script that supervises one job on its node. It begins at most once, even when the job
 * is submitted twice. It enforces scratch space and, to the second, wall time, which
 * Slurm does not. It ends what the job leaves behind, and writes what happened to a file that outlives the
 * system's memory of the job. No shell interprets a word of the client.
 */
export function nodeScript(job: NodeJob): string {
  const { place, command, environment, limits, isCounted } = job;
  const { idVariable, given } = job.system;
  const parallel = parallelLines(job.system, job.allocation, place);
  const variables = { ...environment, [MARKER]: place.job };
  const set = Object.entries(variables).map(([name, value]) => shellWord(`${name}=${value}`));
  const words = [
    'setsid env -i',
    ...set,
    ...[idVariable, ...given, ...parallel.given].map((name) => `\${${name}+"${name}=$${name}"}`),
    ...command.map(shellWord),
  ];
  const counted = [place.work, place.tmp, place.out, place.volumes, place.stdout, place.stderr]
    .map(shellWord)
    .join(' ');
  const marked = `env ${MARKER}=${place.job}`;
  return [
    '#!/bin/sh',
    'umask 022',
    `exec 3>>${shellWord(nodeStatus(place))} || exit 98`,
    `mkdir ${shellWord(begunDirectory(place))} || { echo "again $${idVariable}" >&3; exit 97; }`,
    // Without a word of its start, its end would count as that of a run that never began.
    `echo "start $${idVariable}" >&3 || { rmdir ${shellWord(begunDirectory(place))}; exit 98; }`,
    `cd ${shellWord(place.work)} || exit 98`,
    ...parallel.lines,
    // The marker is on the processes of the job and on our sleeps, not on this shell and on grep.
    'sweep() {',
    '  for round in 1 2 3 4 5 6 7 8 9 10; do',
    `    left=$(env -i PATH="$PATH" grep -lszxF '${MARKER}=${place.job}' /proc/[0-9]*/environ | cut -d/ -f3)`,
    '    [ -n "$left" ] || break',
    '    kill -KILL $left',
    '  done',
    '}',
    '(',
    `  { ulimit -c 0; ulimit -f ${(limits.scratch + 1) * 2048}; } 2>/dev/null`,
    `  exec ${words.join(' ')} 3>&-`,
    ') &',
    'job=$!',
    // bash reports a killed command with all its words, the client's environment among them.
    'exec >/dev/null 2>&1',
    '(',
    `  ${marked} sleep ${limits.wallTime} 3>&- || exit`,
    ...stopLines('wall-time'),
    ') &',
    'timer=$!',
    '(',
    `  while ${marked} sleep ${COUNT_S} 3>&-; do`,
    `    used=$(du -skc ${counted} | tail -n 1 | cut -f 1)`,
    `    [ "\${used:-0}" -le ${limits.scratch * 1024} ] && continue`,
    ...stopLines('output'),
    '    exit',
    '  done',
    ') &',
    'counter=$!',
    'wait "$job"',
    'code=$?',
    ...(parallel.report === undefined ? usageLines(isCounted, idVariable) : [parallel.report]),
    'kill -KILL "$timer" "$counter"',
    'sweep',
    'echo "exit $code" >&3',
    'exit "$code"',
    '',
  ].join('\n');
}

/** What the node has reported so far: one line an event. */
export type NodeStatus = {
  /** the system's id of the run that began */
  readonly began: number | undefined;
  readonly stopped: 'wall-time' | 'output' | undefined;
  /** exit status of the job as a shell tells it: above 128 for a signal */
  readonly exit: number | undefined;
  readonly usage: Usage | undefined;
};

/**
 * Reads the status file. Skips incomplete and unknown lines; of two equal lines the first counts.
 */
export function parseNodeStatus(text: string): NodeStatus {
  const lines = text.split('\n').slice(0, -1);
  const number = (pattern: RegExp): number | undefined => {
    const found = lines.map((line) => pattern.exec(line)?.[1]).find((value) => value !== undefined);
    return found === undefined ? undefined : Number(found);
  };
  const stopped = (['wall-time', 'output'] as const).find((reason) =>
    lines.includes(`stopped ${reason}`),
  );
  return {
    began: number(/^start (\d+)$/),
    stopped,
    exit: number(/^exit (\d{1,3})$/),
    usage: usageIn(lines),
  };
}

/**
 * The directory that a run makes when it begins, or an executor to prevent it: the first one wins.
 */
export function begunDirectory(place: JobDirectory): string {
  return join(nodeDirectory(place), 'begun');
}

/**
 * Lines that report the processor time of what the script waited for, and where Slurm gives each job
 * a cgroup (`/job_12/step_batch/…`) the most memory of the script's own.
 */
function usageLines(isCounted: boolean, idVariable: string): readonly string[] {
  return isCounted
    ? [
        'times >&3',
        `while IFS=: read -r number _ path; do case "$number$path" in 0*/job_"$${idVariable}"/*)`,
        `  ${reportLine('"/sys/fs/cgroup$path/memory.peak"', 'bytes')};;`,
        'esac; done < /proc/self/cgroup',
      ]
    : [];
}

/** Lines that end a run from within; the system ends the rest with the script. */
function stopLines(reason: 'wall-time' | 'output'): readonly string[] {
  return [
    `    echo "stopped ${reason}" >&3`,
    '    kill -s TERM -- "-$job"',
    '    sleep 2',
    '    sweep',
    '    kill -s KILL -- "-$job"',
  ];
}
