import { createHmac, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { CannotStart } from '../../words/cannot-start.ts';
import { openRoomByName } from '../../words/room-by-name.ts';
import { Remembered } from '../remembered.ts';
import { isPassword, noPassword, type Cost } from './hash.ts';
import { readPasswordFile, type PasswordAccount } from './password-file.ts';
import { errorText } from '../../words/system-error.ts';

/** Users of the password file. */
export type Passwords = {
  /** what was verified a short time ago, without any hashing */
  readonly known: (user: string, password: string) => PasswordAccount | undefined;
  /**
   * 0.2 s for right, wrong and unknown alike; undefined when it is not right; `busy`
   * when too many are being checked
   *
   * @param from whom they come from: nobody fills the queue alone
   */
  readonly verify: (
    user: string,
    password: string,
    from: string,
  ) => Promise<PasswordAccount | undefined | 'busy'>;
  /** why the newest version of the file is not in use, undefined when it is */
  readonly trouble: () => string | undefined;
  readonly warnings: () => readonly string[];
};

const REMEMBERED_MS = 5 * 60_000;
const MOST_REMEMBERED = 1000;
const LOOK_MS = 1000;
/** Each check takes 16 MiB and a thread of the pool, which file reads need too. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 16;
const MOST_FROM_ONE = 4;
const READ_BY_OTHERS = 0o004;

/** A look at the file; its stamp changes with it. */
type Look = { readonly stamp: string; readonly mode: number };

type Version = {
  readonly accounts: ReadonlyMap<string, PasswordAccount>;
  readonly stamp: string;
  readonly mode: number;
};

/**
 * Opens a password file. A changed file is in use within a second; one that cannot be
 * used leaves the last good one.
 *
 * @param clock milliseconds since 1970
 * @throws CannotStart naming every line that cannot be used
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
  const waiting: (() => void)[] = [];
  const room = openRoomByName(MOST_FROM_ONE);
  let running = 0;

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
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= MOST_AT_ONCE)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
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
        : [`everybody on this machine may read the password file ${file}: chmod 640, or 600`],
    known: (user, password) => {
      const account = remembered.get(keyOf(user, password), clock());
      // A file that changed a moment ago may no longer have this line: the next look says so.
      if (clock() - lookedAt >= LOOK_MS) return undefined;
      return account;
    },
    verify: async (user, password, from) => {
      await look();
      const again = remembered.get(keyOf(user, password), clock());
      if (again !== undefined) return again;
      if (waiting.length >= MOST_WAITING || !room.enter(from)) return 'busy';
      const account = version.accounts.get(user);
      const right = await inTurn(() =>
        isPassword(password, account?.password ?? noPassword(costOf(version))),
      ).finally(() => room.leave(from));
      if (account === undefined || !right) return undefined;
      // Only what is still in the file: it may have changed while this was checked.
      if (version.accounts.get(user) === account)
        remembered.set(keyOf(user, password), account, clock() + REMEMBERED_MS);
      return account;
    },
  };
}

/**
 * Changes with the file, also when it is replaced by another of the
 * same size within the same second.
 */
async function lookAt(file: string): Promise<Look> {
  const { ino, size, mtimeMs, ctimeMs, mode } = await stat(file);
  return { stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, mode };
}

async function readVersion(file: string, { stamp, mode }: Look): Promise<Version | string> {
  const reading = readPasswordFile(await readFile(file, 'utf8'));
  return reading.ok
    ? { accounts: reading.accounts, stamp, mode }
    : reading.problems.map(({ line, message }) => `${file}:${line}: ${message}`).join('\n');
}

/** What a check of this file costs; its lines are all made by the same command. */
function costOf({ accounts }: Version): Cost | undefined {
  return accounts.values().next().value?.password.cost;
}
