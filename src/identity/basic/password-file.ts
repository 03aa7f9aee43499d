import { readHash, type PasswordHash } from './hash.ts';

/** A line of the password file. */
export type PasswordAccount = {
  readonly user: string;
  readonly password: PasswordHash;
  readonly roles: readonly string[];
};

/** The accounts by user, or every faulty line. */
type PasswordFile =
  | { readonly ok: true; readonly accounts: ReadonlyMap<string, PasswordAccount> }
  | {
      readonly ok: false;
      readonly problems: readonly { readonly line: number; readonly message: string }[];
    };

const SHAPE = 'user:scrypt,N,r,p:salt:hash:role,role; planner hash-password writes such a line';

/** Reads a password file: one account per line; skips empty lines and lines that begin with #. */
export function readPasswordFile(text: string): PasswordFile {
  const accounts = new Map<string, PasswordAccount>();
  const problems: { line: number; message: string }[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return;
    const account = readLine(line);
    if (typeof account === 'string') problems.push({ line: index + 1, message: account });
    else if (accounts.has(account.user))
      problems.push({ line: index + 1, message: 'another line has this user already' });
    else accounts.set(account.user, account);
  });
  return problems.length === 0 ? { ok: true, accounts } : { ok: false, problems };
}

/** No message repeats the line: it may be a password in the clear. */
function readLine(line: string): PasswordAccount | string {
  const [user = '', cost = '', salt = '', hash = '', ...rest] = line.split(':');
  const password = readHash(cost, salt, hash);
  if (user.trim() === '' || user !== user.trim() || /\p{Cc}/u.test(user))
    return `the user must be text without spaces around it; the line must be ${SHAPE}`;
  if (password === undefined) return `the line must be ${SHAPE}`;
  // The roles are last, because a role may have a colon.
  return {
    user,
    password,
    roles: rest
      .join(':')
      .split(',')
      .map((role) => role.trim())
      .filter((role) => role !== ''),
  };
}
