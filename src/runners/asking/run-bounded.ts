import type { NonEmpty } from '../../words/ids.ts';
import { watchedRun } from './watched-run.ts';

/** How long a program may take, how much it may print, in bytes, and what ends it before. */
export type ProgramBounds = {
  readonly ms: number;
  readonly bytes: number;
  readonly stop?: AbortSignal | undefined;
};

/** How much of its last words an error repeats. */
const LAST_WORDS = 300;

/**
 * What a program prints. It and its children are killed when they take too long or print too much.
 *
 * @throws Error that says in one sentence why there is no answer
 */
export async function runBounded(
  words: NonEmpty<string>,
  environment: Readonly<Record<string, string>>,
  bounds: ProgramBounds,
): Promise<string> {
  const { status, why, printed, said } = await watchedRun(words, environment, {
    ...bounds,
    said: LAST_WORDS,
  });
  if (why !== undefined) throw new Error(why);
  if (status === 0) return printed;
  throw new Error(`it ended with ${status}${lastLineOf(said)}`);
}

/** Without what changes a terminal: administrators read it there. */
function lastLineOf(said: string): string {
  const [last = ''] = said.trim().split('\n').slice(-1);
  const line = last.replaceAll(/\p{C}+/gu, ' ').trim();
  return line === '' ? '' : `: ${line}`;
}
