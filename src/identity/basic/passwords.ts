import { createHmac, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readPlainFile } from '../../places/plain-file.ts';
import { CannotStart } from '../../words/cannot-start.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import { openRoomByName } from '../../words/room-by-name.ts';
import { Remembered } from '../remembered.ts';
import { isPassword, noPassword, type Cost } from './hash.ts';
import { readPasswordFile, type PasswordAccount } from './password-file.ts';
import { errorText } from '../../words/system-error.ts';

/** Users of the password file. */
export type Passwords = {
  /** an account that was verified a short time ago, found without a hash */
  readonly known: (user: string, password: string) => PasswordAccount | undefined;
  /**
   * checks a password in 0.2 s, whether right, wrong or of an unknown user; undefined for a wrong
   * one; `busy` while too many checks wait
   *
   * @param from network of the client; one network cannot fill the queue
   */
  readonly verify: (
    user: string,
    password: string,
    from: string,
  ) => Promise<PasswordAccount | undefined | 'busy'>;
  /** the line of a user in the newest good version of the file */
  readonly account: (user: string) => Promise<PasswordAccount | undefined>;
  /** why the newest version of the file is not in use; undefined while it is */
  readonly trouble: () => string | undefined;
  readonly warnings: () => readonly string[];
};

const REMEMBERED_MS = 5 * 60_000;
const MOST_REMEMBERED = 1000;
const LOOK_MS = 1000;
/** Each check takes 16 MiB and a thread of the pool, which also reads files. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 16;
const MOST_FROM_ONE = 4;
const READ_BY_OTHERS = 0o004;

/** State of the file; its stamp changes with the file. */
type Look = { readonly stamp: string; readonly mode: number };

type Version = {
  readonly accounts: ReadonlyMap<string, PasswordAccount>;
  readonly stamp: string;
  readonly mode: number;
};

/**
 * Opens a password file. Uses a changed file within a second, and keeps the last good version of a
 * faulty one.
 *
 * @param clock milliseconds, never going back
 * @throws CannotStart with every faulty line
 */
export async function openPasswords(file: string, clock: () => number): Promise<Passwords> {
  const first = await lookAt(file)
    .then((now) => readVersion(file, now))
    .catch((error: unknown) => `${file}: ${errorText(error)}`);
  if (typeof first === 'string')
    throw new CannotStart(`the password file cannot be used:\n${first}`);
  let version = first;
  let trouble: string | undefined;
  let lookedAt = clock();
  let refused = '';
  const remembered = new Remembered<PasswordAccount>(MOST_REMEMBERED);
  const secret = randomBytes(32);
  const inTurn = limitConcurrency(MOST_AT_ONCE);
  const room = openRoomByName(MOST_FROM_ONE);
  let checks = 0;

  const look = async (): Promise<void> => {
    if (clock() - lookedAt < LOOK_MS) return;
    lookedAt = clock();
    try {
      const now = await lookAt(file);
      if (now.stamp === version.stamp || now.stamp === refused) return;
      const next = await readVersion(file, now);
      trouble = typeof next === 'string' ? next : undefined;
      if (typeof next === 'string') refused = now.stamp;
      else version = next;
      remembered.clear();
    } catch (error) {
      trouble = errorText(error);
    }
  };
  const keyOf = (user: string, password: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([user, password]))
      .digest('base64');

  return {
    trouble: () => trouble,
    warnings: () =>
      (version.mode & READ_BY_OTHERS) === 0
        ? []
        : [`every user of this machine may read the password file ${file}: chmod 640, or 600`],
    known: (user, password) => {
      const account = remembered.get(keyOf(user, password), clock());
      // A file that changed a moment ago may no longer have this line; `verify` looks at it again.
      if (clock() - lookedAt >= LOOK_MS) return undefined;
      return account;
    },
    account: async (user) => {
      await look();
      return version.accounts.get(user);
    },
    verify: async (user, password, from) => {
      await look();
      const again = remembered.get(keyOf(user, password), clock());
      if (again !== undefined) return again;
      if (checks >= MOST_AT_ONCE + MOST_WAITING || !room.enter(from)) return 'busy';
      checks += 1;
      const account = version.accounts.get(user);
      const right = await inTurn(() =>
        isPassword(password, account?.password ?? noPassword(costOf(version))),
      ).finally(() => {
        checks -= 1;
        room.leave(from);
      });
      if (account === undefined || !right) return undefined;
      // The file may have changed during the check: remember only accounts that it still has.
      if (version.accounts.get(user) === account)
        remembered.set(keyOf(user, password), account, clock() + REMEMBERED_MS);
      return account;
    },
  };
}

/** The stamp also changes when a file of the same size replaces this one within the same second. */
async function lookAt(file: string): Promise<Look> {
  const { ino, size, mtimeMs, ctimeMs, mode } = await stat(file);
  return { stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, mode };
}

async function readVersion(file: string, { stamp, mode }: Look): Promise<Version | string> {
  const reading = readPasswordFile((await readPlainFile(file)).toString('utf8'));
  return reading.ok
    ? { accounts: reading.accounts, stamp, mode }
    : reading.problems.map(({ line, message }) => `${file}:${line}: ${message}`).join('\n');
}

/** Cost of a check against this file; the same command makes all of its lines. */
function costOf({ accounts }: Version): Cost | undefined {
  return accounts.values().next().value?.password.cost;
}
