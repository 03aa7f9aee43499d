import { Client } from 'pg';
import { openGround, until, type Ground, type ServiceProcess } from '../cli/service-process.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { writeSite } from './site.ts';

/**
 * Several planners as an operator runs them: each in its own process tree, with one database and
 * one site.
 */
export type Fleet = {
  readonly db: TestDatabase;
  readonly ground: Ground;
  /** Starts another planner. @returns the process and its URL */
  readonly add: (environment?: Readonly<Record<string, string>>) => Promise<Replica>;
  /**
   * How often a destination or a store was found oversold, by the metrics of a replica after
   * another check.
   */
  readonly trips: (replica: Replica) => Promise<number>;
  /** Stops them; fails if one cannot stop or leaves something behind. */
  readonly close: () => Promise<void>;
};

export type Replica = { readonly url: string; readonly process: ServiceProcess };

/** @param databaseUrl for the planners; default: the database itself */
export async function openFleet(
  site: object,
  rules: object,
  databaseUrl: (real: string) => string = (real) => real,
): Promise<Fleet> {
  const [db, ground, files] = [
    await openTestDatabase(),
    await openGround(),
    await writeSite(site, rules),
  ];
  const replicas: Replica[] = [];
  return {
    db,
    ground,
    add: async (environment = {}) => {
      const process = ground.start({
        environment: {
          SITE_FILE: files.siteFile,
          DATABASE_URL: databaseUrl(db.url),
          ...environment,
        },
      });
      const replica = { url: await process.ready(), process };
      replicas.push(replica);
      await until(
        'its executor and its sweeper work',
        async () => (await fetch(`${replica.url}/readyz`)).ok || undefined,
      );
      return replica;
    },
    trips: async ({ url }) => {
      const client = new Client({ connectionString: db.url });
      await client.connect();
      await client.query('SELECT guard_oversell(), guard_storage(), guard_results()');
      await client.end();
      const found = /^planner_oversell_guard_trips (\d+)$/m.exec(
        await (await fetch(`${url}/metrics`)).text(),
      );
      if (found === null) throw new Error('the metrics do not say whether anything was oversold');
      return Number(found[1]);
    },
    close: async () => {
      const ends = await Promise.all(
        replicas.filter((one) => one.process.isRunning()).map((one) => one.process.stop()),
      );
      await db.close();
      await files.remove();
      await ground.close();
      const bad = ends.find(({ code }) => code !== 0);
      if (bad !== undefined)
        throw new Error(
          `a planner ended with ${bad.code ?? bad.signal}:\n${bad.output.slice(-4000)}`,
        );
    },
  };
}

/**
 * Empties the book of a service that works meanwhile. Its transactions may have locks in another
 * order, and PostgreSQL then ends one of the two.
 */
export async function emptyBook(run: (statement: string) => Promise<unknown>): Promise<void> {
  await until('the book is empty', () =>
    run('TRUNCATE ask CASCADE').then(
      () => true,
      () => undefined,
    ),
  );
}
