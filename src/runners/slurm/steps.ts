import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../../words/job-failure.ts';
import { shellWord } from '../../words/safe-text.ts';
import { jobName } from '../batch/begin.ts';
import { begunDirectory } from '../batch/script.ts';
import { stepsName } from '../batch/steps.ts';
import type { Limits } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Making } from '../run/draft.ts';
import type { StepsAway } from '../workflows/interpreter.ts';
import { HEAD, stepsShare } from './head.ts';
import type { SlurmSettings } from './settings.ts';

/**
 * Writes the scripts by which an interpreter on a node hands over a step, and asks for it.
 *
 * @throws JobFailure when the offer leaves nothing for steps
 */
export async function prepareSteps(
  { draft, place }: Making,
  limits: Limits,
  settings: SlurmSettings,
): Promise<StepsAway> {
  const { cpus, memory } = stepsShare(limits);
  if (cpus < 1 || memory < 1)
    throw new JobFailure(
      'runner-failed',
      `the interpreter takes 1 core and ${HEAD.memory} MiB, and the offer leaves nothing for steps`,
    );
  const drafts = filesAt(draft);
  const { submit, run, status, ended } = filesAt(place);
  await mkdir(drafts.ended, { mode: 0o700 });
  const write = (file: string, script: string) => writeFile(file, script, { mode: 0o600 });
  await write(drafts.submit, submitScript(place, limits, settings, run));
  await write(drafts.run, runScript(ended));
  await write(drafts.status, statusScript(ended));
  return {
    submit: `/bin/sh ${shellWord(submit)}`,
    status: `/bin/sh ${shellWord(status)}`,
    cancel: 'scancel',
    ended,
    cores: cpus,
    memory,
  };
}

type StepFiles = Readonly<Record<'submit' | 'run' | 'status' | 'ended', string>>;

function filesAt({ task }: JobDirectory): StepFiles {
  return {
    submit: join(task, 'submit-step.sh'),
    run: join(task, 'run-step.sh'),
    status: join(task, 'status-of-step.sh'),
    // A file for each step that has ended, by the number of its job.
    ended: join(task, 'ended-steps'),
  };
}

/**
 * `submit-step.sh CPUS MEGABYTES SCRIPT` prints the number of a new job. All steps together stay
 * within the offer, whatever the workflow says of itself, and none outlives it.
 */
function submitScript(
  place: JobDirectory,
  limits: Limits,
  settings: SlurmSettings,
  run: string,
): string {
  const { cpus, memory } = stepsShare(limits);
  const name = stepsName(jobName(place.job));
  const { partition, account, qos, constraint, arguments: more } = settings;
  const words = [
    `--job-name=${name}`,
    `--chdir=${place.work}`,
    `--output=${place.stdout}`,
    `--error=${place.stderr}`,
    '--open-mode=append',
    `--partition=${partition}`,
    ...(account === undefined ? [] : [`--account=${account}`]),
    ...(qos === undefined ? [] : [`--qos=${qos}`]),
    ...(constraint === undefined ? [] : [`--constraint=${constraint}`]),
    '--nodes=1',
    '--ntasks=1',
    '--no-requeue',
    '--export=ALL',
    ...more,
  ];
  return `#!/bin/sh
no() { echo "the step is not handed to Slurm: $*" >&2; exit 1; }
case $1/$2 in *[!0-9/]* | /* | */) no "its cores are $1 and its memory is $2";; esac
cpus=$1
memory=$(( ($2 * 1000000 + 1048575) / 1048576 ))
[ "$cpus" -le ${cpus} ] || no "it needs $cpus cores, and the offer has ${cpus} for steps"
[ "$memory" -le ${memory} ] || no "it needs $memory MiB, and the offer has ${memory} for steps"
begun=$(stat -c %Y ${shellWord(begunDirectory(place))}) || no 'its job has not begun'
while :; do
  left=$(( begun + ${limits.wallTime} - $(date +%s) ))
  [ "$left" -gt 0 ] || no 'no time is left'
  taken=$(squeue --noheader --name=${name} --states=PENDING,CONFIGURING,RUNNING --format='%C %m') &&
    taken=$(echo "$taken" | awk '{
      unit = substr($2, length($2)); each = $2 + 0
      if (unit == "G") each *= 1024
      if (unit == "T") each *= 1048576
      cpus += $1; memory += each
    } END { printf "%d %d", cpus, memory }') &&
    [ $(( \${taken% *} + cpus )) -le ${cpus} ] &&
    [ $(( \${taken#* } + memory )) -le ${memory} ] && break
  sleep 2
done
exec sbatch --parsable --cpus-per-task="$cpus" --mem="\${memory}M" --time=$(( (left + 59) / 60 )) \\
  ${[...words, run].map(shellWord).join(' ')} "$3"
`;
}

/** `run-step.sh SCRIPT` leaves the exit status of a step, since Slurm soon forgets it. */
function runScript(ended: string): string {
  return `#!/bin/sh
/bin/sh "$1"
code=$?
file=${shellWord(ended)}/$SLURM_JOB_ID
echo "$code" > "$file.new" && mv "$file.new" "$file"
exit "$code"
`;
}

/**
 * `status-of-step.sh ID` says how a step is in Snakemake's words. What is killed leaves no exit
 * status, and Slurm says so; it may forget a job between the two looks at its file.
 */
function statusScript(ended: string): string {
  return `#!/bin/sh
ended() {
  code=$(head -c 4 ${shellWord(ended)}/"$1" 2>/dev/null) || return
  [ "$code" = 0 ] && echo success || echo failed
  exit
}
ended "$1"
state=$(squeue --noheader --states=all --format=%T --jobs="$1" 2>&1)
case $state in
  COMPLETED) echo success;;
  BOOT_FAIL | CANCELLED | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | TIMEOUT)
    echo failed;;
  '' | *[Ii]nvalid*) ended "$1"; echo failed;;
  *) echo running;;
esac
`;
}
