import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isNonEmpty } from '../../words/ids.ts';
import { isRoot } from '../../places/reachable.ts';
import { lookingWords } from '../process/start/bubblewrap.ts';
import { findDefaultIsolation } from '../process/start/isolation.ts';
import { asUser } from '../process/start/script.ts';
import { prefixesOf } from '../process/start/visible-paths.ts';
import { JOB_PATH } from '../run/environment.ts';
import { runBounded } from './run-bounded.ts';

/** What an interpreter runs to say what it has. */
export const FACTS = readFileSync(fileURLToPath(new URL('facts.py', import.meta.url)), 'utf8');

/** How long it may take, and how many bytes it may print. */
export const ASKING = { ms: 30_000, bytes: 8 * 2 ** 20 };

/**
 * Asks an interpreter what it has, as a job would see it: in a sandbox where the machine has one,
 * as root for the account `nobody`, without a network, with a limit of time.
 *
 * @param python absolute path
 * @param paths what its tasks read besides its own folders
 * @param isBare without the packages that it has, as virtual environments see it
 * @param stop ends it before it has answered
 * @returns JSON, if it is honest
 * @throws Error that says why there is no answer
 */
export function askInterpreter(
  python: string,
  paths: readonly string[],
  isBare = false,
  stop?: AbortSignal,
): Promise<string> {
  const isSandboxed = findDefaultIsolation().sandbox === 'bubblewrap';
  const words = [
    ...(isRoot() ? asUser(NOBODY) : []),
    ...(isSandboxed ? lookingWords([...prefixesOf(python), ...paths]) : OUTLIVING),
    python,
    // Neither its environment nor the folder that it is started in has a part in the answer.
    '-I',
    ...(isBare ? ['-S'] : []),
    '-c',
    FACTS,
  ];
  if (!isNonEmpty(words)) throw new Error('there is always a program');
  return runBounded(words, { PATH: JOB_PATH, LANG: 'C.UTF-8', HOME: '/' }, { ...ASKING, stop });
}

/** A sandbox ends with the service, however that ends; without one, this ends what still runs. */
const OUTLIVING = ['timeout', '-s', 'KILL', `${ASKING.ms / 1000 + 1}`];

/** An account without files, in every distribution. */
const NOBODY = 65_534;
