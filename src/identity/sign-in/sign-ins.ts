import { hash, randomBytes } from 'node:crypto';
import { queryFast, type Database } from '../../db/client.ts';
import { oneLine } from '../../words/safe-text.ts';
import { newUuid } from '../../words/uuid.ts';
import { Remembered, steadyClock } from '../remembered.ts';
import type { Origin, ProvenUser, SignIn } from './signed-in.ts';

/** Sign-ins of all planners of a database. */
export type SignIns = {
  /**
   * Begins a sign-in.
   *
   * @returns it, and the secret name for the browser
   */
  readonly begin: (
    user: ProvenUser,
    from: Origin,
  ) => Promise<{ readonly name: string; readonly signIn: SignIn }>;
  /** Finds a sign-in that has not ended by its secret name, mostly in memory. */
  readonly find: (name: string) => Promise<SignIn | undefined>;
  /** The sign-ins of an owner that have not ended, newest first. */
  readonly list: (owner: string) => Promise<readonly SignIn[]>;
  /** Ends the sign-in of an owner. @returns false if there is none */
  readonly end: (owner: string, id: string) => Promise<boolean>;
  /** Ends the sign-in with this secret name, if there is one. */
  readonly endByName: (name: string) => Promise<void>;
};

/** A sign-in of a person lasts at most a working day. */
const LONGEST_MS = 12 * 3_600_000;
/** A sign-in that another planner ended is in use for at most this time here. */
const REMEMBERED_MS = 3000;
const MOST_REMEMBERED = 10_000;
/** Of one owner; the oldest ends for a new one. */
const MOST_OF_OWNER = 100;
const LONGEST_AGENT = 200;

/** A secret name: 32 random bytes in base64url. */
const NAME = /^[\w-]{43}$/;

/** @param clock milliseconds since 1970 */
export function openSignIns(database: Database, clock: () => number): SignIns {
  const remembered = new Remembered<SignIn | 'none'>(MOST_REMEMBERED);
  const steady = steadyClock(clock);
  // An answer that was under way when the sign-in ended must not bring it back.
  const forget = (digest: string): void => remembered.set(digest, 'none', steady() + REMEMBERED_MS);
  const read = async (digest: string): Promise<SignIn | undefined> => {
    const [row] = await queryFast(database, 'sign_in', FIND, [digest]);
    const known = remembered.get(digest, steady());
    if (known === 'none') return undefined;
    const found = row === undefined ? undefined : signInOf(row);
    remembered.set(digest, found ?? 'none', steady() + REMEMBERED_MS);
    return found;
  };

  return {
    begin: async (user, from) => {
      const name = randomBytes(32).toString('base64url');
      const signIn = beginning(user, from, clock());
      await write(database, digestOf(name), signIn);
      return { name, signIn };
    },
    find: async (name) => {
      if (!NAME.test(name)) return undefined;
      const digest = digestOf(name);
      const known = remembered.get(digest, steady());
      const found = known === undefined ? await read(digest) : known;
      return found === undefined || found === 'none' || found.until <= clock() ? undefined : found;
    },
    list: async (owner) => {
      const rows = await database.$queryRaw<object[]>`
        SELECT * FROM sign_in WHERE owner = ${owner} AND until > ${new Date(clock())}
        ORDER BY since DESC, id DESC`;
      return rows.map(signInOf);
    },
    end: async (owner, id) => {
      const rows = await database.$queryRaw<{ digest: string }[]>`
        DELETE FROM sign_in WHERE owner = ${owner} AND id::text = ${id} RETURNING digest`;
      for (const { digest } of rows) forget(digest);
      return rows.length > 0;
    },
    endByName: async (name) => {
      if (!NAME.test(name)) return;
      const digest = digestOf(name);
      forget(digest);
      await database.$executeRaw`DELETE FROM sign_in WHERE digest = ${digest}`;
      forget(digest);
    },
  };
}

const FIND = 'SELECT * FROM sign_in WHERE digest = $1';

function digestOf(name: string): string {
  return hash('sha256', name);
}

function beginning(
  { until = Infinity, ...user }: ProvenUser,
  { address, agent }: Origin,
  now: number,
): SignIn {
  return {
    ...user,
    id: newUuid(),
    since: now,
    until: Math.min(until, now + LONGEST_MS),
    address,
    agent: oneLine(agent, LONGEST_AGENT),
  };
}

async function write(database: Database, digest: string, signIn: SignIn): Promise<void> {
  const { id, owner, user, roles, kind, proof, since, until, address, agent } = signIn;
  await database.$executeRaw`
    WITH oldest AS (
      DELETE FROM sign_in WHERE id IN (SELECT id FROM sign_in WHERE owner = ${owner}
        ORDER BY since DESC OFFSET ${MOST_OF_OWNER - 1}))
    INSERT INTO sign_in (id, digest, owner, name, roles, kind, proof, since, until, address, agent)
    VALUES (${id}::uuid, ${digest}, ${owner}, ${user}, ${[...roles]}, ${kind}, ${proof},
      ${new Date(since)}, ${new Date(until)}, ${address}, ${agent})`;
}

function signInOf(row: unknown): SignIn {
  const { id, owner, name, roles, kind, proof, since, until, address, agent } = Object(row);
  return {
    id,
    owner,
    user: name,
    roles,
    kind,
    proof,
    since: since.getTime(),
    until: until.getTime(),
    address,
    agent,
  };
}
