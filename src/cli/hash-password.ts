import { createInterface } from 'node:readline';
import { Misused, readPlain } from './words.ts';
import { hashPassword, printHash } from '../identity/basic/hash.ts';

type Keyboard = NodeJS.ReadStream;

const ENTER = new Set(['\r', '\n', '\u0004']);
const DELETE = new Set(['\u007f', '\b']);
const INTERRUPT = '\u0003';

const SHORTEST = 8;

/**
 * `planner hash-password USER [ROLE...]`: prints a line of the password file. The password comes
 * from the terminal or from standard input, never from the arguments, which the shell's history and
 * every list of processes show.
 *
 * @returns 0; 2 for wrong arguments; 1 for a bad password
 */
export async function hashPasswordCommand(words: readonly string[]): Promise<number> {
  const [user, ...roles] = readPlain(words, { most: Infinity });
  if (
    user === undefined ||
    user.trim() !== user ||
    user === '' ||
    // A line that begins with # is a comment.
    /^#|[:\p{Cc}]/u.test(user) ||
    roles.some((role) => /[,\p{Cc}]/u.test(role))
  ) {
    throw new Misused(
      'give USER [ROLE...], with no colon and no # first in the user, and no comma in a role',
    );
  }
  const password = await readPassword();
  if (password === undefined || [...password].length < SHORTEST) {
    console.error(
      password === undefined
        ? 'planner hash-password: the two passwords differ'
        : `planner hash-password: the password must have ${SHORTEST} characters or more`,
    );
    return 1;
  }
  console.log(`${user}:${printHash(await hashPassword(password))}:${roles.join(',')}`);
  return 0;
}

async function readPassword(): Promise<string | undefined> {
  if (!process.stdin.isTTY) return readPiped(process.stdin);
  process.stderr.write('password: ');
  const first = await readHidden(process.stdin);
  process.stderr.write('again: ');
  const second = first === undefined ? undefined : await readHidden(process.stdin);
  return first === second ? first : undefined;
}

async function readPiped(input: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input })) return line;
  return '';
}

/** Reads a line from the terminal without echo. undefined: Ctrl-C. */
function readHidden(keyboard: Keyboard): Promise<string | undefined> {
  return new Promise((resolve) => {
    let typed: readonly string[] = [];
    const end = (line: string | undefined): void => {
      keyboard.setRawMode(false).pause().off('data', onData);
      process.stderr.write('\n');
      resolve(line);
    };
    const onData = (chunk: string): void => {
      for (const key of chunk) {
        if (key === INTERRUPT) return end(undefined);
        if (ENTER.has(key)) return end(typed.join(''));
        typed = DELETE.has(key) ? typed.slice(0, -1) : [...typed, key];
      }
      return undefined;
    };
    keyboard.setEncoding('utf8').setRawMode(true).resume().on('data', onData);
  });
}
