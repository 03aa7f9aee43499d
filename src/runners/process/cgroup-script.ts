import { join } from 'node:path';
import { joinFiles, oomFile, type Cgroup } from './cgroup.ts';
import { quote } from './quote.ts';

/** Kills all that is in it: nothing can start more where no tasks are allowed, so after a round or two all of it is dead. */
export const emptyLines = ({ pids }: Cgroup): readonly string[] => {
  const procs = quote(join(pids, 'cgroup.procs'));
  return [
    `  echo 0 > ${quote(join(pids, 'pids.max'))}`,
    '  round=0',
    '  while [ "$round" -lt 100 ]; do',
    '    left=',
    // To kill 0 would be to kill whoever does it; it stands for a process that cannot be seen from here.
    `    while read -r pid; do [ "$pid" = 0 ] || { left=$pid; kill -KILL "$pid"; }; done < ${procs}`,
    '    [ -n "$left" ] || break',
    '    round=$((round + 1))',
    '    [ "$round" -lt 3 ] || sleep 0.05',
    '  done',
  ];
};

/** The shell itself joins, and with it what it starts; a job that cannot join does not run without its limits. */
export const joinLines = (cgroup: Cgroup): readonly string[] =>
  [`  { ${joinFiles(cgroup).map((path) => `echo 0 > ${quote(path)}`).join(' && ')}; } || exit 126`];

/** What the kernel counted goes with the cgroup, so it is told before. */
export const closeLines = (cgroup: Cgroup): readonly string[] => {
  const paths = [...new Set([cgroup.memory, cgroup.pids, cgroup.cpu])];
  return [
    `while read -r name count; do [ "$name" != oom_kill ] || [ "$count" = 0 ] || echo "killed memory" >&3; done < ${quote(oomFile(cgroup))}`,
    `rmdir ${paths.map(quote).join(' ')}`,
  ];
};
