import { join } from 'node:path';
import { BatchRefusal, type BatchAmount, type BatchRequest } from '../batch/system.ts';
import type { SlurmClient, SlurmJob } from './client.ts';
import type { CommandOutput } from '../batch/command.ts';
import { command, environmentOfCommands } from './command.ts';
import type { Account } from '../batch/account.ts';
import type { SlurmAccess, SlurmSettings } from './settings.ts';

const FORMAT = '%i|%T|%j|%r';

/** Reads what squeue prints in FORMAT; skips lines of job arrays and of other shapes. */
export function parseQueue(text: string): readonly SlurmJob[] {
  return text.split('\n').flatMap((line) => {
    const [, id, state, name, reason] = /^(\d+)\|([A-Z_]+)\|([^|]*)\|(.*)$/.exec(line) ?? [];
    return id === undefined || state === undefined || name === undefined
      ? []
      : [{ id: Number(id), state, name, reason: reason ?? '' }];
  });
}

/** Reads what sacct prints of a job; its last line is that of the last run. */
export function parseAccounting(text: string, id: number): SlurmJob | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.split('|'))
    .filter(([job]) => job === String(id));
  const [, state, name] = lines.at(-1) ?? [];
  return state === undefined || name === undefined ? undefined : { id, name, state, reason: '' };
}

/** The time in the output of `sbatch --test-only`, in UTC; undefined when it names none. */
export function parsePrediction(text: string): number | undefined {
  const time = /to start at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/.exec(text)?.[1];
  return time === undefined ? undefined : Date.parse(`${time}Z`);
}

/**
 * Slurm by its commands, which must have the cluster's version and the trust of its munge.
 *
 * @param run the account of jobs; undefined: the service's own
 */
export function cliClient(
  settings: SlurmSettings,
  { conf, bin }: Extract<SlurmAccess, { transport: 'cli' }>,
  run: Account | undefined,
  me: string,
): SlurmClient {
  const environment = environmentOfCommands(conf);
  const call = (
    program: string,
    words: readonly string[],
    input?: string,
  ): Promise<CommandOutput> =>
    command({
      program: bin === undefined ? program : join(bin, program),
      words,
      environment,
      ...(input !== undefined && { input }),
    });
  /** Without its reservation a job runs all the same, and waits in the queue. */
  const sent = async (
    words: readonly string[],
    reservation: string | undefined,
    script: string,
  ): Promise<CommandOutput> => {
    if (reservation === undefined) return call('sbatch', words, script);
    return call('sbatch', [...words, `--reservation=${reservation}`], script).catch(
      (error: unknown) => {
        if (error instanceof BatchRefusal && /reservation is invalid/i.test(error.message))
          return call('sbatch', words, script);
        throw error;
      },
    );
  };
  return {
    submit: async (request) => {
      const { name, script, directory } = request;
      const words = [
        '--parsable',
        `--job-name=${name}`,
        `--comment=${name}`,
        `--chdir=${directory}`,
        `--output=${request.stdout}`,
        `--error=${request.stderr}`,
        ...beginning(request),
        ...amounts(request),
        ...standing(settings, run),
      ];
      const { stdout: said } = await sent(words, request.reservation, script);
      // `id`, or `id;cluster` in a federation.
      const id = Number(/^(\d+)(;.*)?$/m.exec(said.trim())?.[1]);
      if (!Number.isInteger(id))
        throw new BatchRefusal(`sbatch printed no job id: ${said.slice(0, 200)}`);
      return id;
    },
    probe: async () =>
      void (await call('scontrol', [
        '--all',
        '--oneliner',
        'show',
        'partition',
        settings.partition,
      ])),
    jobs: async () =>
      parseQueue(
        (
          await call('squeue', [
            '--noheader',
            '--all',
            '--states=all',
            `--user=${run?.user ?? me}`,
            `--format=${FORMAT}`,
          ])
        ).stdout,
      ),
    ...(settings.accounting !== 'none' && {
      recall: async (id: number) => {
        const words = [
          settings.accounting === 'completions' ? '--completion' : '--allocations',
          '--noheader',
          '--parsable2',
          `--jobs=${id}`,
          '--format=JobID,State,JobName',
        ];
        return parseAccounting((await call('sacct', words)).stdout, id);
      },
    }),
    predict: async (amount) =>
      parsePrediction(
        (
          await call(
            'sbatch',
            ['--test-only', ...amounts(amount), ...standing(settings, run)],
            '#!/bin/sh\n',
          )
        ).stderr,
      ),
    cancel: async (id, how) => {
      const words = how === 'now' ? ['--signal=KILL', '--full', String(id)] : [String(id)];
      await call('scancel', words).catch((error: unknown) => {
        if (
          error instanceof BatchRefusal &&
          /already completing or completed|invalid job id/i.test(error.message)
        )
          return;
        throw error;
      });
    },
  };
}

/** Seconds of the epoch do not depend on a time zone; a past instant means now. */
function beginning({ begin }: BatchRequest): readonly string[] {
  return option('begin', begin === undefined ? undefined : `uts${begin}`);
}

function option(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

/** The words of sbatch with the amounts of a job. */
function amounts({ minutes, nodes, cpus, memory, gres }: BatchAmount): readonly string[] {
  return [
    ...(nodes === undefined
      ? ['--nodes=1', '--ntasks=1', `--cpus-per-task=${cpus}`]
      : // A rank for each core.
        [`--nodes=${nodes}`, `--ntasks-per-node=${cpus}`, '--cpus-per-task=1']),
    `--mem=${memory}M`,
    `--time=${minutes}`,
    ...(gres === undefined ? [] : [`--gres=${gres}`]),
  ];
}

/**
 * Words of sbatch that all jobs of a destination share; those of the site come last, and so win.
 */
function standing(
  { partition, account, qos, constraint, arguments: more }: SlurmSettings,
  run: Account | undefined,
): readonly string[] {
  return [
    `--partition=${partition}`,
    ...option('account', account),
    ...option('qos', qos),
    ...option('constraint', constraint),
    ...option('uid', run?.user),
    ...option('gid', run?.gid),
    // NIL: no variable of this process, and no login shell of the user, which NONE would start.
    '--export=NIL',
    '--no-requeue',
    '--kill-on-invalid-dep=yes',
    '--open-mode=append',
    ...more,
  ];
}
