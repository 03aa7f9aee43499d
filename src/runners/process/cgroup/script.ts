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
import { shellWord } from '../../../words/shell-word.ts';

/**
 * Kills all that is in it: nothing can start more where no tasks are allowed, so after a
 * round or two all of it is dead.
 */
export function emptyLines({ pids }: Cgroup): readonly string[] {
  const procs = shellWord(join(pids, 'cgroup.procs'));
  return [
    `  echo 0 > ${shellWord(join(pids, 'pids.max'))}`,
    '  round=0',
    '  while [ "$round" -lt 100 ]; do',
    '    left=',
    // To kill 0 would be to kill whoever does it; it stands for a process
    // that cannot be seen from here.
    `    while read -r pid; do [ "$pid" = 0 ] || { left=$pid; kill -KILL "$pid"; }; done < ${procs}`,
    '    [ -n "$left" ] || break',
    '    round=$((round + 1))',
    '    [ "$round" -lt 3 ] || sleep 0.05',
    '  done',
  ];
}

/**
 * Makes the cgroup with its limits, by the script that has the right to begin the run:
 * whoever has not makes none. The script of the last job of all may remove the directory
 * of all jobs between two steps.
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
 * The shell itself joins, and with it what it starts; a job that cannot join
 * does not run without its limits.
 */
export function joinLines(cgroup: Cgroup): readonly string[] {
  return [
    `  { ${joinFiles(cgroup)
      .map((path) => `echo 0 > ${shellWord(path)}`)
      .join(' && ')}; } || exit 126`,
  ];
}

/** What the kernel counted goes with the cgroup, so it is told before. */
export function closeLines(cgroup: Cgroup): readonly string[] {
  const paths = [...new Set([cgroup.memory, cgroup.pids, cgroup.cpu])];
  return [
    'while read -r name count; do [ "$name" != oom_kill ] || [ "$count" = 0 ] || echo ' +
      `"killed memory" >&3; done < ${shellWord(oomFile(cgroup))}`,
    `rmdir ${paths.map(shellWord).join(' ')}`,
  ];
}

function write(path: string, value: string): string {
  return `echo ${shellWord(value)} > ${shellWord(path)}`;
}

/** In version 2 no job is protected further than all of them together are. */
function protectLines({ memory }: Cgroup): readonly string[] {
  return [
    'sum=0',
    `for file in ${shellWord(dirname(memory))}/*/memory.low; do read -r low < "$file" && ` +
      'sum=$((sum + low)); done 2>/dev/null',
    `{ echo "$sum" > ${shellWord(join(dirname(memory), 'memory.low'))}; } 2>/dev/null`,
  ];
}
