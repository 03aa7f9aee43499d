import { totalmem } from 'node:os';
import type { NonEmpty } from '../../../words/ids.ts';
import { guaranteedOf, type Limits } from '../../port.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { closeLines, emptyLines, joinLines, makeLines } from '../cgroup/script.ts';
import { shellWord } from '../../../words/safe-text.ts';
import { MARKER } from '../../run/environment.ts';

/** What the runtime of the command takes for itself, in addition to what the job was offered. */
export type Reserve = {
  /** private writable memory that it reserves and hardly touches, in MiB */
  readonly memory: number;
  /** CPU time of starting up and of compiler and garbage collector threads, in seconds */
  readonly cpu: number;
};

/** A job as a launch script. Paths are absolute; the shell interprets none of the values. */
export type Launch = {
  readonly job: string;
  /**
   * file that the script makes before it begins: when the file is there already, another script has
   * the run and this one ends
   */
  readonly started: string;
  readonly command: NonEmpty<string>;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** unprivileged user of this job alone, or undefined when it runs as the service's user */
  readonly uid: number | undefined;
  /** tasks (processes and threads) that the user of the job may have */
  readonly tasks: number;
  readonly reserve: Reserve;
  /** words before the command that take its network away; empty when it keeps it */
  readonly isolation: readonly string[];
  /** words after those that change the user, which put the command in a sandbox; empty for none */
  readonly sandbox: readonly string[];
  /** undefined for none */
  readonly cgroup: Cgroup | undefined;
};

/** The exit status of a script that had the right to begin, and could not write down that it does. */
export const UNSAID = 94;

/** Words that start a command as an unprivileged user, from which it cannot come back. */
export function asUser(uid: number): NonEmpty<string> {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${uid}`,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
    '--inh-caps=-all',
  ];
}

/**
 * Words that signal every process of a user at once; the kernel does it under one
 * lock, so no fork slips through.
 */
export function killUser(uid: number, signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): NonEmpty<string> {
  return [...asUser(uid), '/bin/sh', '-c', `kill -${signal.slice(3)} -1`];
}

/**
 * The /bin/sh script that supervises one job. It begins at most once, however often it is started.
 * It sets the limits, starts the command in a session of its own, enforces the wall time, kills
 * what the job leaves behind, and writes what happened to descriptor 3, which the executor opened.
 * The command does not inherit that descriptor; as another user it can neither open the file nor
 * trace the script. The script survives the executor.
 */
export function launchScript(launch: Launch): string {
  const environment = { ...launch.environment, [MARKER]: launch.job };
  const command = [
    'setsid',
    ...launch.isolation,
    ...(launch.uid === undefined ? [] : asUser(launch.uid)),
    ...launch.sandbox,
    ...(launch.sandbox.length === 0 ? ['env'] : []),
    '-i',
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ...launch.command,
  ];
  return [
    '#!/bin/sh',
    'umask 022',
    'read -r line < /proc/$$/stat',
    'set -- ${line##*) }',
    'read -r boot < /proc/sys/kernel/random/boot_id',
    'set -C',
    `{ true > ${shellWord(launch.started)}; } 2>/dev/null || exit 0`,
    'set +C',
    // On a full disk nobody would know of the job, and so nobody could end it.
    `echo "start $$ \${20} $boot" >&3 || exit ${UNSAID}`,
    'sweep() {',
    ...sweepLines(launch),
    '}',
    ...(launch.cgroup === undefined ? [] : makeLines(launch.cgroup, launch.limits, launch.tasks)),
    '(',
    // A machine with lower limits is stricter than we are, which is no error of the job.
    `  { ${limitLines(launch).join('; ')}; } 2>/dev/null`,
    ...(launch.cgroup === undefined ? [] : joinLines(launch.cgroup)),
    // The end of a sandbox's first process kills all others, so it ignores SIGTERM. The `env` that
    // starts the job restores the signal.
    ...(launch.sandbox.length === 0 ? [] : ["  trap '' TERM"]),
    `  exec ${command.map(shellWord).join(' ')} 3>&-`,
    ') &',
    'job=$!',
    // bash reports a killed command with all its words, the client's environment among them.
    'exec >/dev/null 2>&1',
    // `-s`: dash, which is most machines' /bin/sh, refuses `kill -TERM -- -group`.
    '(',
    `  sleep ${launch.limits.wallTime} 3>&- || exit`,
    '  echo "stopped wall-time" >&3',
    '  kill -s TERM -- "-$job"',
    '  sleep 2',
    '  sweep',
    '  kill -s KILL -- "-$job"',
    ') &',
    'timer=$!',
    'wait "$job"',
    'code=$?',
    // Bubblewrap does not wait for what runs in it, so `times` would say 0.
    ...(launch.sandbox.length === 0 ? ['times >&3'] : []),
    'kill -KILL "$timer"',
    'sweep',
    ...(launch.cgroup === undefined ? [] : closeLines(launch.cgroup)),
    'echo "exit $code" >&3',
    // Ends the timer's sleep and this script, which leads their group. SIGTERM is not enough: a
    // sleep that was forked and not started yet loses it, and stayed for the whole wall time (70 of
    // 400 of the shortest jobs).
    'kill -s KILL -- "-$$"',
    '',
  ].join('\n');
}

function sweepLines({ uid, job, cgroup }: Launch): readonly string[] {
  if (cgroup !== undefined) return emptyLines(cgroup);
  return uid === undefined
    ? [
        '  for round in 1 2 3 4 5 6 7 8 9 10; do',
        `    left=$(grep -lszxF '${MARKER}=${job}' /proc/[0-9]*/environ | cut -d/ -f3)`,
        '    [ -n "$left" ] || break',
        '    kill -KILL $left',
        '  done',
      ]
    : [`  ${killUser(uid).map(shellWord).join(' ')}`];
}

function limitLines(launch: Launch): readonly string[] {
  return [
    'ulimit -c 0',
    'ulimit -n 1024',
    // In blocks of 512 bytes.
    `ulimit -f ${(launch.limits.scratch + 1) * 2048}`,
    // A cgroup limits memory, cores and tasks of the whole tree.
    ...(launch.cgroup === undefined
      ? processLimits(launch)
      : [`echo ${lastResort(launch.limits)} > /proc/self/oom_score_adj`]),
  ];
}

/*
 * Memory is bounded by the data segment (-d: heap and private writable mappings, what a program
 * really asked for) and not by address space (-v): V8, WebAssembly, Go and Java reserve tens of
 * gigabytes of addresses that they never touch (Node 24 with Pyodide: 26 GB of addresses, 0.77 GB
 * of data, 0.17 GB resident), so -v would stop them at any useful limit. The soft CPU limit sends
 * SIGXCPU, which tells the reason; the hard one is the end.
 */
function processLimits(launch: Launch): readonly string[] {
  return [
    `ulimit -d ${(launch.limits.memory + launch.reserve.memory) * 1024}`,
    `ulimit -H -t ${cpuSeconds(launch) + 5}; ulimit -S -t ${cpuSeconds(launch)}`,
    // The kernel counts the tasks of a user over the whole machine, which is useful only for a user
    // of one job. dash calls it -p, which in bash is something else.
    ...(launch.uid === undefined ? [] : [`ulimit -u ${launch.tasks} || ulimit -p ${launch.tasks}`]),
  ];
}

/**
 * Seconds of CPU that a job may use in one process: its wall time on all its cores, and one second
 * more, so that a job that always computes is stopped for its wall time and not for its CPU time.
 */
function cpuSeconds({ limits: { wallTime, cores }, reserve }: Launch): number {
  return Math.ceil((wallTime * cores) / 1000) + 1 + reserve.cpu;
}

/**
 * When the machine has no memory left, the kernel kills the process with the most memory, where
 * each point counts as a thousandth of the machine's memory. With these points it kills the process
 * that is furthest beyond the minimum of its job, before any process that is no job.
 */
function lastResort(limits: Limits): number {
  return Math.max(
    0,
    1000 - Math.round((guaranteedOf(limits).memory * 2 ** 20 * 1000) / totalmem()),
  );
}
