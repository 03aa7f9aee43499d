import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Embedded } from '../../src/db/embedded.ts';
import { ensureDatabase, migrate } from '../../src/db/migrate.ts';
import { startServer, type BenchServer } from './processes/server.ts';
import { writeBenchSite, type BenchSite } from './site.ts';

/** A planner with a site and a database of its own. */
export type BenchPlanner = {
  readonly destinations: number;
  readonly server: BenchServer;
  readonly site: BenchSite;
  /** URL of its database */
  readonly database: string;
  /** a connection to it, for work around the measurements */
  readonly client: Client;
  readonly stop: () => Promise<void>;
};

/** Asks once. @returns the answer as it came */
export async function askOnce({ server }: BenchPlanner, body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/yaml' };
  return (await fetch(`${server.url}/request`, { method: 'POST', headers, body })).text();
}

/**
 * @param nodeOptions of the planner's process, for a profile
 * @param name of its database and folder
 */
export async function startPlanner(
  cluster: Embedded,
  folder: string,
  destinations: number,
  nodeOptions: readonly string[],
  name = `planner_${destinations}`,
): Promise<BenchPlanner> {
  const home = join(folder, name);
  const site = await writeBenchSite(home, destinations);
  await mkdir(join(home, 'jobs'), { recursive: true });
  const database = cluster.url(name);
  await ensureDatabase(cluster.url('postgres'), name);
  await migrate(database);
  const environment = {
    DATABASE_URL: database,
    SITE_FILE: site.siteFile,
    JOBS_DIR: join(home, 'jobs'),
    PORT: '0',
  };
  const server = await startServer('planner-process', environment, nodeOptions);
  const client = new Client({ connectionString: database });
  await client.connect();
  return {
    destinations,
    server,
    site,
    database,
    client,
    stop: async () => {
      await client.end();
      await server.stop();
    },
  };
}
