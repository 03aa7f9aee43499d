import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freeOn } from '../places/disc.ts';
import { dataFolderOf, openDataFolder } from '../places/data-folder.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { errorText } from '../words/system-error.ts';
import { lockFolder } from './folder-lock.ts';
import { startServer } from './start-server.ts';
import { databaseAccount, findPrograms } from './programs.ts';
import { findRunning, serverIsAlive, type Running } from './running-server.ts';

const run = promisify(execFile);

/** The folder's name has the major version: another major version cannot read it. */
const CLUSTER = 'pg18';
/** A new cluster with its database takes 49 MiB, and the first log of changes may grow. */
const NEEDED_MIB = 128;
const STOP_LIMIT_MS = 60_000;
/** How long a server may take to exit after it has closed its cluster, on a busy machine. */
const GONE_LIMIT_MS = 5000;
const POLL_MS = 25;
/** How often the server is checked. */
const GUARD_MS = 1000;

/** A PostgreSQL server of our own on 127.0.0.1. */
export type Embedded = {
  /** URL of the named database on this server, with its password. */
  readonly url: (database: string) => string;
  /** The server was already running, left by a process that was killed. */
  readonly adopted: boolean;
  /** Stops the server (fast shutdown), waits for it, and releases the folder. */
  readonly stop: () => Promise<void>;
};

type EmbeddedOptions = {
  /** Folder of the cluster, created if missing. */
  readonly directory: string;
  /** For tests only: no fsync, so a crash of the machine loses the cluster. */
  readonly disposable?: boolean;
  /** Planners that will connect to it; default: 1. */
  readonly planners?: number;
  /** Called when the server is gone, and when a restart fails. */
  readonly onLost?: (error: Error) => void;
};

/** Has a folder a database? Makes nothing. */
export function hasCluster(directory: string): boolean {
  return existsSync(join(dataFolderOf(directory), CLUSTER));
}

/**
 * Finds a running server of a folder, whoever started it.
 *
 * @returns URL of the named database on it, with its password; undefined if none runs
 */
export async function findEmbedded(directory: string): Promise<Embedded['url'] | undefined> {
  const dataFolder = openDataFolder(resolve(directory));
  const running = await findRunning(join(dataFolder, CLUSTER));
  if (running === undefined) return undefined;
  return urlsOf(running, await readFile(join(dataFolder, `${CLUSTER}.password`), 'utf8'));
}

/**
 * Starts the PostgreSQL from npm, or adopts a running one, and keeps it running until `stop`. A
 * server that a killed process left behind is used as it is; a dead one recovers by itself.
 *
 * @throws CannotStart if another process has the folder, npm has no PostgreSQL for this machine or
 * none that runs there, or the server does not start; the message names the log
 */
export async function startEmbedded({
  disposable = false,
  planners = 1,
  onLost = () => undefined,
  ...options
}: EmbeddedOptions): Promise<Embedded> {
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true });
  const lock = lockFolder(directory, join(directory, 'planner.lock'));
  try {
    const dataFolder = openDataFolder(directory);
    const cluster = join(dataFolder, CLUSTER);
    const passwordFile = join(dataFolder, `${CLUSTER}.password`);
    const found = await findRunning(cluster);
    const bin = await findPrograms();
    if (!existsSync(cluster)) {
      await requireRoom(dataFolder);
      await initialise(bin, cluster, passwordFile);
    }
    const start = (port: number): Promise<Running> =>
      startServer({
        bin,
        cluster,
        logFile: join(dataFolder, 'postgres.log'),
        port,
        disposable,
        planners,
      });
    const server = found ?? (await start(await freePort()));
    const password = await readFile(passwordFile, 'utf8');
    const guarded = guard(server, start, onLost);
    return {
      url: urlsOf(server, password),
      adopted: found !== undefined,
      stop: async () => {
        await stop(await guarded.end(), cluster);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function urlsOf({ port }: Running, password: string): Embedded['url'] {
  return (database) => `postgresql://planner:${password}@127.0.0.1:${port}/${database}`;
}

/** @throws CannotStart */
async function requireRoom(dataFolder: string): Promise<void> {
  const free = await freeOn(dataFolder);
  if (free >= NEEDED_MIB) return;
  throw new CannotStart(
    `${dataFolder} has ${free} MiB free on its disc, and a new database takes ${NEEDED_MIB} MiB: ` +
      'make room, or set DATA_DIR to a folder on another disc.',
  );
}

async function initialise(bin: string, cluster: string, passwordFile: string): Promise<void> {
  // Made under another name and then renamed: a start that is killed leaves no incomplete cluster.
  const draft = `${cluster}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  const account = databaseAccount();
  if (account.uid !== undefined && account.gid !== undefined) {
    await chown(draft, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const options = [
    '-D',
    draft,
    '-U',
    'planner',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--no-locale',
  ];
  await run(join(bin, 'initdb'), options, { ...account, cwd: '/' }).catch((error: unknown) => {
    throw new CannotStart(
      `the PostgreSQL of npm cannot make a database here (${errorText(error)}); ` +
        'set DATABASE_URL to a server of yours',
    );
  });
  if (account.uid !== undefined) await chown(passwordFile, 0, 0);
  await rename(draft, cluster);
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer().once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object'
          ? done(address.port)
          : failed(new Error('no port')),
      );
    });
  });
}

/**
 * Checks every second whether the server runs. A dead one is restarted on the same port, so that
 * the URLs of other processes stay valid; they reconnect by themselves, as with an external server.
 */
function guard(
  first: Running,
  again: (port: number) => Promise<Running>,
  onLost: (error: Error) => void,
) {
  const over = new AbortController();
  let server = first;
  const guarding = async (): Promise<void> => {
    for (;;) {
      await sleep(GUARD_MS, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      if (serverIsAlive(server.pid)) continue;
      onLost(new Error(`embedded PostgreSQL (process ${server.pid}) is gone; it is started again`));
      server = await again(server.port).catch((error: unknown) => {
        onLost(error instanceof Error ? error : new Error(String(error)));
        return server;
      });
    }
  };
  const guarded = guarding();
  return {
    /** @returns the running server, which is no longer checked */
    end: async (): Promise<Running> => {
      over.abort();
      await guarded;
      return server;
    },
  };
}

async function stop({ pid }: Running, cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (serverIsAlive(pid) && existsSync(file)) process.kill(pid, 'SIGINT');
  for (
    let waited = 0;
    waited < STOP_LIMIT_MS && existsSync(file) && serverIsAlive(pid);
    waited += POLL_MS
  )
    await sleep(POLL_MS);
  // The pid file disappears first. The process of an adopted server may stay as a zombie if nobody
  // reaps it.
  for (let waited = 0; waited < GONE_LIMIT_MS && serverIsAlive(pid); waited += POLL_MS)
    await sleep(POLL_MS);
}
