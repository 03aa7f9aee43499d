export const QUEUE = 'all.q';
export const PARALLEL = 'smp';

/** Limits that a queue has beside those of its jobs. */
const LIMITS = ['rt', 'cpu', 'fsize', 'data', 'stack', 'core', 'rss', 'vmem'];

/**
 * Ends what is left of a job's group, as root: Grid Engine kills the processes that it lists once,
 * and misses one that was being forked just then (1 of 185 jobs that were deleted as they began).
 */
export const EPILOG = `#!/bin/sh
read -r group < "$SGE_JOB_SPOOL_DIR/addgrpid" || exit 0
for status in $(grep -lsE "^Groups:(.*[[:space:]])?$group([[:space:]]|$)" /proc/[0-9]*/status); do
  left=\${status#/proc/}
  left=\${left%/status}
  [ "$left" = "$$" ] || [ "$left" = "$PPID" ] || kill -KILL "$left"
done
exit 0
`;

/** A queue of 64 slots on one host with {@link EPILOG} in a file, as `qconf -Aq` reads it. */
export function queueText(host: string, epilog: string): string {
  return text({
    qname: QUEUE,
    hostlist: host,
    seq_no: '0',
    nsuspend: '1',
    suspend_interval: '00:05:00',
    priority: '0',
    min_cpu_interval: '00:05:00',
    processors: 'UNDEFINED',
    qtype: 'BATCH INTERACTIVE',
    pe_list: PARALLEL,
    rerun: 'FALSE',
    slots: '64',
    tmpdir: '/tmp',
    shell: '/bin/sh',
    shell_start_mode: 'unix_behavior',
    notify: '00:00:60',
    initial_state: 'default',
    epilog: `root@${epilog}`,
    ...none(
      'load_thresholds suspend_thresholds ckpt_list prolog starter_method suspend_method ' +
        'resume_method terminate_method owner_list user_lists xuser_lists subordinate_list ' +
        'complex_values projects xprojects calendar',
    ),
    ...Object.fromEntries(
      LIMITS.flatMap((name) => [
        [`s_${name}`, 'INFINITY'],
        [`h_${name}`, 'INFINITY'],
      ]),
    ),
  });
}

/** All slots of a job on one host, as `qconf -Ap` reads it. */
export function parallelText(): string {
  return text({
    pe_name: PARALLEL,
    slots: '999',
    allocation_rule: '$pe_slots',
    control_slaves: 'FALSE',
    job_is_first_task: 'TRUE',
    urgency_slots: 'min',
    accounting_summary: 'FALSE',
    ...none('user_lists xuser_lists start_proc_args stop_proc_args qsort_args'),
  });
}

function none(names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'NONE']));
}

function text(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('');
}
