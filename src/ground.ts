import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { startEmbedded } from './db/embedded.ts';
import { ensureDatabase, migrate } from './db/migrate.ts';
import { freeOn } from './places/disc.ts';
import { jobsHome } from './places/data-folder.ts';
import { mustBeWritable } from './places/writable.ts';
import { readKept } from './schedule/results.ts';
import type { Settings } from './settings.ts';
import { sizeOfPool, withResultPools } from './site/results.ts';
import type { Site } from './site/site.ts';

/** Steps of an end, the last one that was begun first. */
export type Ending = {
  readonly onStop: (step: () => Promise<unknown>) => void;
  /** Does all steps; one that fails is in the log. */
  readonly stop: () => Promise<void>;
};

/** The name of the embedded database. */
const DATABASE = 'planner';

export function openEnding(log: Pick<Logger, 'error'>): Ending {
  const steps: (() => Promise<unknown>)[] = [];
  return {
    onStop: (step) => void steps.unshift(step),
    stop: async () => {
      // If a step fails, the processes of the other steps still have to end.
      for (const step of steps.splice(0))
        await step().catch((err: unknown) => log.error({ err }, 'a part could not be stopped'));
    },
  };
}

/** Opens the folders of data and jobs. @throws CannotStart if they cannot be written */
export function openPlaces(given: Settings): Settings {
  const { databaseUrl, dataDirectory, jobsDirectory } = given;
  const isBelow = jobsDirectory === join(dataDirectory, 'jobs');
  if (databaseUrl === undefined || isBelow)
    mustBeWritable({ folder: dataDirectory, setting: 'DATA_DIR' });
  const settings = { ...given, jobsDirectory: jobsHome(given) };
  mustBeWritable({ folder: settings.jobsDirectory, setting: isBelow ? 'DATA_DIR' : 'JOBS_DIR' });
  return settings;
}

/** Starts the embedded database, if there is no other, and migrates. @returns its URL */
export async function openMigrated(
  settings: Settings,
  log: Logger,
  onStop: Ending['onStop'],
): Promise<string> {
  const url = settings.databaseUrl ?? (await openEmbedded(settings, log, onStop));
  const applied = await migrate(url);
  if (applied.length > 0) log.info({ applied }, 'database migrated');
  return url;
}

/** The environment of the other processes, with what this one found out. */
export function environmentWith(
  environment: NodeJS.ProcessEnv,
  { jobsDirectory, siteFile }: Settings,
  databaseUrl: string,
): NodeJS.ProcessEnv {
  return {
    ...environment,
    DATABASE_URL: databaseUrl,
    JOBS_DIR: jobsDirectory,
    SITE_FILE: siteFile,
  };
}

/** If the site file does not limit the results, the limit is a share of the free disc space. */
export async function withDisc(
  site: Site,
  { jobsDirectory }: Settings,
  database: Database,
  log: Logger,
): Promise<Site> {
  if (site.results.size !== undefined) return site;
  const size = sizeOfPool(
    await freeOn(jobsDirectory),
    await readKept(database),
    site.results.keepFree,
  );
  log.info(
    { directory: jobsDirectory, mebibytes: size },
    'results.size is not in the site file: results may take half of the disc',
  );
  return withResultPools(site, size);
}

async function openEmbedded(
  { dataDirectory: directory, planners }: Settings,
  log: Logger,
  onStop: Ending['onStop'],
): Promise<string> {
  const server = await startEmbedded({
    directory,
    planners,
    onLost: (err) => log.error({ err }, 'embedded PostgreSQL is lost'),
  });
  onStop(server.stop);
  log.info({ adopted: server.adopted, directory }, 'embedded PostgreSQL runs');
  await ensureDatabase(server.url('postgres'), DATABASE);
  return server.url(DATABASE);
}
