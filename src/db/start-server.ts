import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotStart } from '../words/cannot-start.ts';
import { databaseAccount } from './programs.ts';
import { findRunning, isServed, type Running } from './running-server.ts';

type Wanted = {
  /** folder of PostgreSQL's programs */
  readonly bin: string;
  readonly cluster: string;
  readonly logFile: string;
  readonly port: number;
  /** without fsync */
  readonly disposable: boolean;
  /** planners that will connect to it; default: 1 */
  readonly planners?: number;
};

/** Filling a new log file of 16 MB with zeros held up all commits for 55 ms, every 2200 asks. */
const NO_STANDSTILL = 'wal_init_zero=off';
const DISPOSABLE = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'autovacuum=off',
  'max_connections=200',
];
const START_LIMIT_MS = 60_000;
const POLL_MS = 25;
/** PostgreSQL's own number of connections is enough for this many planners. */
const FEW_PLANNERS = 8;
/** Connections of each further planner, with those that only listen. */
const OF_PLANNER = 7;
/** Processes of a killed server keep its memory until they notice, which makes a start fail. */
const REST_LIMIT_MS = 10_000;
const AGAIN_MS = 250;

/**
 * Starts a server for a cluster. A planner that was killed may have begun to start one: then this
 * one ends, and the other one is waited for.
 *
 * @throws CannotStart if none answers; the message names the log
 */
export async function startServer(wanted: Wanted): Promise<Running> {
  const { cluster, logFile } = wanted;
  let own = await begin(wanted);
  let [waited, rested] = [0, 0];
  for (; waited < START_LIMIT_MS; waited += POLL_MS) {
    const running = await findRunning(cluster);
    if (running !== undefined) return running;
    if (own.signal.aborted && !(await isServed(cluster))) {
      if (rested >= REST_LIMIT_MS) break;
      rested += AGAIN_MS;
      await sleep(AGAIN_MS);
      own = await begin(wanted);
    }
    await sleep(POLL_MS);
  }
  throw new CannotStart(
    `embedded PostgreSQL did not start (${own.signal.reason ?? 'no answer'}); see ${logFile}`,
  );
}

/** @returns what is aborted when the server has ended */
async function begin({
  bin,
  cluster,
  logFile,
  port,
  disposable,
  planners = 1,
}: Wanted): Promise<AbortController> {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    NO_STANDSTILL,
    ...(disposable ? DISPOSABLE : []),
    ...(planners > FEW_PLANNERS ? [`max_connections=${100 + OF_PLANNER * planners}`] : []),
  ];
  const log = await open(logFile, 'a', 0o600);
  // Its own process group: Ctrl-C and `kill -9` of ours do not stop the database.
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', cluster, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])],
    { ...databaseAccount(), cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  server.unref();
  const ended = new AbortController();
  server.once('error', (error) => ended.abort(error.message));
  server.once('exit', (code, signal) => ended.abort(`exit ${code ?? signal}`));
  await log.close();
  return ended;
}
