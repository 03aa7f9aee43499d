import { createHmac, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { CannotStart } from '../../words/cannot-start.ts';
import { Remembered } from '../remembered.ts';
import { isPassword, noPassword, type Cost } from './hash.ts';
import { readPasswordFile, type Account } from './password-file.ts';

/** Users of the password file. */
export type Passwords = {
  /** what was verified a short time ago, without any hashing */
  readonly known: (user: string, password: string) => Account | undefined;
  /** 0.2 s for right, wrong and unknown alike; undefined when it is not right; `busy` when too many are being checked */
  readonly verify: (user: string, password: string) => Promise<Account | undefined | 'busy'>;
  /** why the newest version of the file is not in use, undefined when it is */
  readonly trouble: () => string | undefined;
};

const REMEMBERED_MS = 5 * 60_000;
const MOST_REMEMBERED = 1000;
const LOOK_MS = 1000;
/** Each check takes 16 MiB and a thread of the pool, which file reads need too. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 16;

type Version = { readonly accounts: ReadonlyMap<string, Account>; readonly stamp: string };

const readVersion = async (file: string, stamp: string): Promise<Version | string> => {
  const reading = readPasswordFile(await readFile(file, 'utf8'));
  return reading.ok ? { accounts: reading.accounts, stamp } : reading.problems.map(({ line, message }) => `${file}:${line}: ${message}`).join('\n');
};

/** Changes with the file, also when it is replaced by another of the same size within the same second. */
const stampOf = async (file: string): Promise<string> => {
  const { ino, size, mtimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs}`;
};

/** What a check of this file costs; its lines are all made by the same command. */
const costOf = ({ accounts }: Version): Cost | undefined => accounts.values().next().value?.password.cost;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Opens a password file. A changed file is in use within a second; one that cannot be used leaves the last good one.
 *
 * @param clock milliseconds since 1970
 * @throws CannotStart naming every line that cannot be used
 */
export const openPasswords = async (file: string, clock: () => number): Promise<Passwords> => {
  const first = await stampOf(file).then((stamp) => readVersion(file, stamp)).catch((error: unknown) => `${file}: ${messageOf(error)}`);
  if (typeof first === 'string') throw new CannotStart(`the password file cannot be used:\n${first}`);
  let version = first;
  let trouble: string | undefined;
  let lookedAt = clock();
  let refused = '';
  const remembered = new Remembered<Account>(MOST_REMEMBERED);
  const secret = randomBytes(32);
  const waiting: (() => void)[] = [];
  let running = 0;

  const look = async (): Promise<void> => {
    if (clock() - lookedAt < LOOK_MS) return;
    lookedAt = clock();
    try {
      const stamp = await stampOf(file);
      if (stamp === version.stamp || stamp === refused) return;
      const next = await readVersion(file, stamp);
      trouble = typeof next === 'string' ? next : undefined;
      if (typeof next === 'string') refused = stamp;
      else version = next;
      remembered.clear();
    } catch (error) {
      trouble = messageOf(error);
    }
  };
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= MOST_AT_ONCE) await new Promise<void>((resolve) => { waiting.push(resolve); });
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
  const keyOf = (user: string, password: string): string => createHmac('sha256', secret).update(JSON.stringify([user, password])).digest('base64');

  return {
    trouble: () => trouble,
    known: (user, password) => {
      const account = remembered.get(keyOf(user, password), clock());
      // A file that changed a moment ago may no longer have this line: the next look says so.
      if (clock() - lookedAt >= LOOK_MS) return undefined;
      return account;
    },
    verify: async (user, password) => {
      await look();
      const again = remembered.get(keyOf(user, password), clock());
      if (again !== undefined) return again;
      if (waiting.length >= MOST_WAITING) return 'busy';
      const account = version.accounts.get(user);
      const right = await inTurn(() => isPassword(password, account?.password ?? noPassword(costOf(version))));
      if (account === undefined || !right) return undefined;
      // Only what is still in the file: it may have changed while this was checked.
      if (version.accounts.get(user) === account) remembered.set(keyOf(user, password), account, clock() + REMEMBERED_MS);
      return account;
    },
  };
};
