import { ensureDatabase } from '../db/migrate.ts';
import { findEmbedded, startEmbedded } from '../db/embedded.ts';
import { jobsHome } from '../places/data-folder.ts';
import { readSettings, type Settings } from '../settings.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { writeBackup } from '../backup/write.ts';
import type { Command } from './guarded.ts';
import { readPlain } from './words.ts';

/** The service's database in an embedded server. */
const DATABASE = 'planner';

/**
 * Gives the URL of the settings' database to `work`; starts its embedded server if it does not run.
 */
export async function withDatabase<Result>(
  { databaseUrl, dataDirectory }: Settings,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return use(databaseUrl);
  const running = await findEmbedded(dataDirectory);
  if (running !== undefined) return use(running(DATABASE));
  const server = await startEmbedded({ directory: dataDirectory });
  try {
    await ensureDatabase(server.url('postgres'), DATABASE);
    return await use(server.url(DATABASE));
  } finally {
    await server.stop();
  }
}

/**
 * Reads the settings, does the work, and prints the result.
 * @returns 1 after a sentence if it fails
 */
export async function withSettings(
  err: (text: string) => void,
  work: (settings: Settings) => Promise<void>,
): Promise<number> {
  const reading = readSettings(process.env);
  if (!reading.ok) {
    err(`${reading.problems.join('\n')}\n`);
    return 1;
  }
  try {
    await work({ ...reading.settings, jobsDirectory: jobsHome(reading.settings) });
    return 0;
  } catch (error) {
    const isPlain = error instanceof CannotStart || (error instanceof Error && 'code' in error);
    err(
      `${isPlain ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  }
}

/** `planner backup FILE` */
export const backup: Command = async (words, { out, err }) => {
  const [file = ''] = readPlain(words, { least: 1 });
  return withSettings(err, (settings) =>
    withDatabase(settings, async (databaseUrl) => {
      const { results, missing } = await writeBackup({
        databaseUrl,
        jobsDirectory: settings.jobsDirectory,
        file,
      });
      out(
        `${file}: the database and ${results} ` +
          `results${missing === 0 ? '' : `; ${missing} results are not in ${settings.jobsDirectory}`}\n`,
      );
    }),
  );
};
