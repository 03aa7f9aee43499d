import { execFile, type ExecFileException } from 'node:child_process';
import { isRoot } from '../../places/reachable.ts';
import { errorCode, errorText } from '../../words/system-error.ts';
import { isPassing } from '../passing.ts';
import type { Account } from './account.ts';
import { BatchRefusal, BatchUnreachable } from './system.ts';

/** Commands of batch systems wait minutes for a missing controller. */
export const CALL_MS = 10_000;
/** Enough for 100,000 jobs. */
const LONGEST = 32 * 2 ** 20;

/** What a command printed. */
export type CommandOutput = { readonly stdout: string; readonly stderr: string };
/** A command of a batch system. */
export type CommandCall = {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string;
  /** whose command it is; undefined: the service's own user */
  readonly account?: Account | undefined;
  /** what it prints when it reaches no controller; everything else is an answer */
  readonly nobody: RegExp;
};

/**
 * Runs a command, at most 10 s. Its environment contains nothing of the service's, where secrets are:
 * a batch system would carry it to the nodes.
 *
 * @returns its standard output
 * @throws BatchUnreachable when it got no answer, BatchRefusal when the answer was no
 */
export function runCommand(call: CommandCall): Promise<CommandOutput> {
  const { program, words, environment, input, account, nobody } = call;
  return new Promise((resolve, reject) => {
    const options = {
      env: environment,
      timeout: CALL_MS,
      killSignal: 'SIGKILL',
      maxBuffer: LONGEST,
      cwd: '/',
      ...(account !== undefined && isRoot() && { uid: account.uid, gid: account.gid }),
    } as const;
    const end = (error: ExecFileException | null, stdout: string, stderr: string): void => {
      if (error === null) return resolve({ stdout, stderr });
      const silence = silenceOf(program, error);
      if (silence !== undefined) return reject(new BatchUnreachable(silence));
      const said = cleaned(stderr) || cleaned(stdout) || errorText(error);
      return reject(nobody.test(said) ? new BatchUnreachable(said) : new BatchRefusal(said));
    };
    try {
      const child = execFile(program, words, options, end);
      child.stdin?.on('error', () => {});
      child.stdin?.end(input ?? '');
    } catch (error) {
      // Node throws some of the errors of a process that cannot begin, and passes others on.
      const text = errorText(error);
      reject(isPassing(error) ? new BatchUnreachable(text) : new BatchRefusal(text));
    }
  });
}

/** Why a command that failed gave no answer of the batch system; undefined: it gave one. */
function silenceOf(program: string, error: ExecFileException): string | undefined {
  if (errorCode(error) === 'ENOENT') return `${program} is not on this machine`;
  if (error.killed === true) return `${program} had no answer within ${CALL_MS / 1000} s`;
  // By the kernel for want of memory, or by somebody of this machine.
  if (typeof error.signal === 'string') return `${program} was ended by ${error.signal}`;
  // This machine lacks processes, files or memory for a while.
  return isPassing(error) ? errorText(error) : undefined;
}

function cleaned(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll(/\b(sbatch|squeue|scancel|scontrol): (error: )?/g, '')
    .slice(0, 500);
}
