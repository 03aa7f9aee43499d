import { shellWord } from '../../words/safe-text.ts';

/** Where Linux tells what a group of processes used; others are for tests. */
type Sources = {
  /** the folder of all groups */
  readonly groups: string;
  /** the file with the groups of the process that reads it */
  readonly own: string;
};

const LINUX: Sources = { groups: '/sys/fs/cgroup', own: '/proc/self/cgroup' };

/**
 * The /bin/sh script that appends a line to the report of its machine: its step of the Slurm job, the
 * most memory of the whole job there, the step's processor time in ns, and how many processes of the
 * step the kernel killed for want of memory. It starts no program, since Slurm gives it seconds.
 *
 * @param file the reports of all machines, without their index
 */
export function reportScript(file: string, { groups, own }: Sources = LINUX): string {
  return `#!/bin/sh
exec 2>/dev/null
hosts=",$MACHINE_HOSTS,"
before=\${hosts%%"=$SLURMD_NODENAME,"*}
[ "$before" != "$hosts" ] || exit 0
bytes=- ns=- kills=0 step=
while IFS=: read -r number controller path; do
  case $number$controller$path in 0/*/step_* | *memory/*/step_*) ;; *) continue;; esac
  job=\${path%%/step_*}
  step=\${path#"$job"/}
  step=\${step%%/*}
  if [ "$controller" = memory ]; then
    read -r bytes < "${groups}/memory$job/memory.max_usage_in_bytes"
    read -r ns < "${groups}/cpuacct$job/$step/cpuacct.usage"
    set -- "${groups}/memory$job/$step"/memory.oom_control \\
      "${groups}/memory$job/$step"/*/memory.oom_control
  else
    read -r bytes < "${groups}$job/memory.peak"
    while read -r word value; do
      [ "$word" != usage_usec ] || ns=$((value * 1000))
    done < "${groups}$job/$step/cpu.stat"
    set -- "${groups}$job/$step/memory.events"
  fi
  for events in "$@"; do
    while read -r word value; do
      [ "$word" != oom_kill ] || kills=$((kills + value))
    done < "$events"
  done
done < ${shellWord(own)}
[ -z "$step" ] || echo "$step $bytes $ns $kills" >> ${shellWord(file)}"\${before##*,}"
`;
}
