import { requireMigrated } from '../src/db/migrate.ts';
import { CannotStart } from '../src/words/cannot-start.ts';
import { readSettings, type Environment, type Settings } from '../src/settings.ts';

/** The settings that a worker needs; its database is always set. */
type WorkerEnvironment = Pick<
  Settings,
  'logLevel' | 'logFormat' | 'jobsDirectory' | 'siteFile' | 'pluginsDirectory' | 'executorHost'
> & { readonly databaseUrl: string };

/** @throws Error with everything that is wrong with the environment */
export function readWorkerEnvironment(environment: Environment): WorkerEnvironment {
  const reading = readSettings(environment);
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  const { databaseUrl } = reading.settings;
  if (databaseUrl === undefined)
    throw new Error('DATABASE_URL is not set: a worker shares the database of its planner');
  return { ...reading.settings, databaseUrl };
}

/**
 * Ends the process with one sentence if the database is not migrated to this version; otherwise
 * every statement would fail.
 */
export function requireDatabase(databaseUrl: string): Promise<void> {
  return requireMigrated(databaseUrl).catch((error: unknown) => {
    if (!(error instanceof CannotStart)) throw error;
    console.error(error.message);
    process.exit(1);
  });
}
