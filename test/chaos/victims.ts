import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { until, type Ground } from '../cli/service-process.ts';

/** Processes that may die at any time; `wrapper` is the launch script of a job. */
export type Victim = 'planner' | 'sandbox' | 'executor' | 'sweeper' | 'postgres' | 'wrapper';

const SIGNS: Readonly<Record<Victim, RegExp>> = {
  planner: /planner\.mjs serve$/,
  sandbox: /^\S+\/node .*--input-type=module --eval/,
  executor: /workers\/executor\.ts/,
  sweeper: /workers\/sweeper\.ts/,
  postgres: /\/postgres -D /,
  wrapper: /^\/bin\/sh \/.*\/job\.sh$/,
};

export function find(ground: Ground, victim: Victim): Promise<number> {
  return until(`the ${victim} runs`, () => pidOf(ground, victim));
}

/** `kill -9`. Resolves when the process is gone. */
export async function kill(ground: Ground, victim: Victim): Promise<void> {
  const pid = await find(ground, victim);
  process.kill(pid, 'SIGKILL');
  await until(
    `the ${victim} is gone`,
    () => ground.processes().every((one) => one.pid !== pid) || undefined,
  );
}

/** Facts from the book, read by SQL beside the service. */
export type Book = {
  /**
   * asks with several accepted offers, jobs without an accepted offer, and accepted offers without
   * a job
   */
  readonly contradictions: number;
  /** jobs that have not ended */
  readonly unended: number;
  /** live reservations of ended jobs */
  readonly leftBehind: number;
};

const BOOK = `
  WITH winner AS (SELECT * FROM offer WHERE state NOT IN ('OFFERED', 'REJECTED', 'EXPIRED'))
  SELECT ((SELECT count(*) FROM (SELECT 1 FROM winner GROUP BY ask_id HAVING count(*) > 1) AS twice)
        + (SELECT count(*) FROM winner FULL JOIN job USING (id) WHERE winner.ask_id IS NULL
          OR job.start_mode IS NULL))::int AS contradictions,
    (SELECT count(*) FROM job WHERE ended_at IS NULL)::int AS unended,
    (SELECT count(*) FROM reservation JOIN job ON job.id = offer_id WHERE state = 'FIRM'
      AND ended_at IS NOT NULL)::int AS "leftBehind"`;

/**
 * A connection to the embedded database in the ground's data directory; it may break without an
 * error.
 */
export async function connectBook(ground: Ground): Promise<Client> {
  const data = join(ground.folder, 'data');
  const password = readFileSync(join(data, 'pg18.password'), 'utf8');
  const port = readFileSync(join(data, 'pg18/postmaster.pid'), 'utf8').split('\n')[3];
  const client = new Client({
    connectionString: `postgresql://planner:${password}@127.0.0.1:${port}/planner`,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Reads the book beside the service. */
export async function readBook(ground: Ground): Promise<Book> {
  const client = await connectBook(ground);
  try {
    const {
      rows: [book],
    } = await client.query<Book>(BOOK);
    if (book === undefined) throw new Error('the database answered nothing');
    return book;
  } finally {
    await client.end();
  }
}

/** The process id of a victim: the last one started, but the first of a shell and its subshells. */
function pidOf(ground: Ground, victim: Victim): number | undefined {
  const alike = ground.processes().filter(({ command }) => SIGNS[victim].test(command));
  return alike.findLast(({ parent }) => alike.every(({ pid }) => pid !== parent))?.pid;
}
