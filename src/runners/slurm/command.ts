import { runCommand, type CommandCall, type CommandOutput } from '../batch/command.ts';
import { JOB_PATH } from '../run/environment.ts';

/** What commands print when they reach no controller; everything else is an answer. */
const NOBODY = new RegExp(
  [
    'unable to contact slurm',
    'connection refused',
    'socket timed out',
    'communication connection failure',
    'zero bytes were transmitted',
    'slurm temporarily unable',
    'protocol authentication error',
    'munge',
    'slurm_load_jobs error: transport',
    'temporarily unavailable',
    'try again later',
    'primary controller not responding',
  ].join('|'),
  'i',
);

/**
 * The environment of commands. It contains nothing of the service's, where secrets are: sbatch
 * would carry it to the nodes. Times are in UTC.
 */
export function environmentOfCommands(conf: string | undefined): Readonly<Record<string, string>> {
  return {
    PATH: JOB_PATH,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ...(conf !== undefined && { SLURM_CONF: conf }),
  };
}

/** Runs one of Slurm's commands. @throws BatchUnreachable or BatchRefusal */
export function command(call: Omit<CommandCall, 'nobody'>): Promise<CommandOutput> {
  return runCommand({ ...call, nobody: NOBODY });
}
