import { execFile } from 'node:child_process';
import { JOB_PATH } from '../run/environment.ts';
import { errorCode, errorText } from '../../words/system-error.ts';
import { SlurmRefusal, SlurmUnreachable } from './client.ts';

/** Slurm's own commands wait minutes for a missing controller. */
export const CALL_MS = 10_000;
/** Enough for 100,000 jobs. */
const LONGEST = 32 * 2 ** 20;

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

/** What a command printed. */
export type CommandOutput = { readonly stdout: string; readonly stderr: string };
type Call = {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string;
};

/**
 * Runs one of Slurm's commands, at most 10 s.
 *
 * @returns its standard output
 * @throws SlurmUnreachable when it got no answer, SlurmRefusal when the answer was no
 */
export function command({ program, words, environment, input }: Call): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const options = {
      env: environment,
      timeout: CALL_MS,
      killSignal: 'SIGKILL',
      maxBuffer: LONGEST,
      cwd: '/',
    } as const;
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ stdout, stderr });
      if (errorCode(error) === 'ENOENT')
        return reject(new SlurmUnreachable(`${program} is not on this machine`));
      if (error.killed === true)
        return reject(new SlurmUnreachable(`${program} had no answer within ${CALL_MS / 1000} s`));
      const said = cleaned(stderr) || errorText(error);
      return reject(NOBODY.test(said) ? new SlurmUnreachable(said) : new SlurmRefusal(said));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

function cleaned(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll(/\b(sbatch|squeue|scancel|scontrol): (error: )?/g, '')
    .slice(0, 500);
}
