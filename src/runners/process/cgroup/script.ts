import { dirname, join } from 'node:path';
import type { Limits } from '../../port.ts';
import {
  isWanted,
  joinFiles,
  limitFiles,
  oomFile,
  parentsOf,
  weightOfAll,
  type Cgroup,
} from './cgroup.ts';
import { reportLine } from '../../run/usage.ts';
import { shellWord } from '../../../words/safe-text.ts';

/** Lines that forbid new tasks and kill all processes, which takes a round or two. */
export function emptyLines({ pids }: Cgroup): readonly string[] {
  const procs = shellWord(join(pids, 'cgroup.procs'));
  return [
    `  echo 0 > ${shellWord(join(pids, 'pids.max'))}`,
    '  round=0',
    '  while [ "$round" -lt 100 ]; do',
    '    left=',
    // 0 stands for a process that cannot be seen from here, and `kill 0` would kill this script.
    `    while read -r pid; do [ "$pid" = 0 ] || { left=$pid; kill -KILL "$pid"; }; done < ${procs}`,
    '    [ -n "$left" ] || break',
    '    round=$((round + 1))',
    '    [ "$round" -lt 3 ] || sleep 0.05',
    '  done',
  ];
}

/**
 * Lines that make the cgroup with its limits. Only the script that has the right to begin the run
 * gets here. The script of another last job may remove the directory of all jobs between two steps.
 *
 * @param tasks processes and threads that the job may have
 */
export function makeLines(cgroup: Cgroup, limits: Limits, tasks: number): readonly string[] {
  const paths = [...new Set([cgroup.memory, cgroup.pids, cgroup.cpu])];
  const steps = [
    `mkdir -p ${parentsOf(cgroup).map(shellWord).join(' ')}`,
    ...(cgroup.version === 2
      ? parentsOf(cgroup).map((path) =>
          write(join(path, 'cgroup.subtree_control'), '+memory +pids +cpu'),
        )
      : []),
    `mkdir -p ${paths.map(shellWord).join(' ')}`,
    ...[...limitFiles(cgroup, limits, tasks), weightOfAll(cgroup)].map(([path, value]) =>
      isWanted(path) ? `{ ${write(path, value)} || :; }` : write(path, value),
    ),
  ];
  return [
    'round=0',
    `until { ${steps.join(' && ')}; } 2>/dev/null; do`,
    '  round=$((round + 1))',
    '  [ "$round" -lt 10 ] || { echo "failed cgroup" >&3; exit 1; }',
    'done',
    ...(cgroup.version === 2 ? protectLines(cgroup) : []),
  ];
}

/**
 * Lines by which the shell joins, and with it what it starts. A job that cannot join does not run.
 */
export function joinLines(cgroup: Cgroup): readonly string[] {
  return [
    `  { ${joinFiles(cgroup)
      .map((path) => `echo 0 > ${shellWord(path)}`)
      .join(' && ')}; } || exit 126`,
  ];
}

/**
 * Lines that remove the cgroup. They report first what the kernel counted, which disappears with
 * it.
 */
export function closeLines(cgroup: Cgroup): readonly string[] {
  const { version, memory, cpu } = cgroup;
  const paths = [...new Set([cgroup.memory, cgroup.pids, cgroup.cpu])];
  return [
    'while read -r name count; do [ "$name" != oom_kill ] || [ "$count" = 0 ] || echo ' +
      `"killed memory" >&3; done < ${shellWord(oomFile(cgroup))}`,
    ...(version === 2
      ? [
          `{ while read -r name count; do [ "$name" != usage_usec ] || echo "used us $count" >&3; ` +
            `done < ${shellWord(join(cpu, 'cpu.stat'))}; } 2>/dev/null`,
          reportLine(shellWord(join(memory, 'memory.peak')), 'bytes'),
        ]
      : [
          reportLine(shellWord(join(cpu, 'cpuacct.usage')), 'ns'),
          reportLine(shellWord(join(memory, 'memory.max_usage_in_bytes')), 'bytes'),
        ]),
    `rmdir ${paths.map(shellWord).join(' ')}`,
  ];
}

function write(path: string, value: string): string {
  return `echo ${shellWord(value)} > ${shellWord(path)}`;
}

/** In version 2 the kernel protects a job only as far as its parent is protected. */
function protectLines({ memory }: Cgroup): readonly string[] {
  return [
    'sum=0',
    `for file in ${shellWord(dirname(memory))}/*/memory.low; do read -r low < "$file" && ` +
      'sum=$((sum + low)); done 2>/dev/null',
    `{ echo "$sum" > ${shellWord(join(dirname(memory), 'memory.low'))}; } 2>/dev/null`,
  ];
}
