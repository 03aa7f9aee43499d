import { ensureDatabase } from '../db/migrate.ts';
import { findEmbedded, hasCluster, startEmbedded } from '../db/embedded.ts';
import { jobsHome } from '../places/data-folder.ts';
import { plainOf } from '../places/writable.ts';
import { readSettings, type Settings } from '../settings.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { writeBackup } from '../backup/write.ts';
import type { Command } from './guarded.ts';
import { stopSignal } from './stop-signal.ts';
import { readPlain } from './words.ts';

/** The service's database in an embedded server. */
const DATABASE = 'planner';

/** What is backed up and restored. */
type Contents = { readonly databaseUrl: string; readonly jobsDirectory: string };

/**
 * Gives the database and the folder of jobs to `use`; starts the embedded server if it does not run.
 */
export async function withContents<Result>(
  settings: Settings,
  use: (contents: Contents) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDirectory: directory } = settings;
  const jobsDirectory = jobsHome(settings);
  if (databaseUrl !== undefined) return use({ databaseUrl, jobsDirectory });
  const running = await findEmbedded(directory);
  if (running !== undefined) return use({ databaseUrl: running(DATABASE), jobsDirectory });
  const server = await startEmbedded({ directory });
  try {
    await ensureDatabase(server.url('postgres'), DATABASE);
    return await use({ databaseUrl: server.url(DATABASE), jobsDirectory });
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
    await work(reading.settings);
    return 0;
  } catch (thrown) {
    const error = plainOf(thrown);
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
  return withSettings(err, async (settings) => {
    const { databaseUrl, dataDirectory } = settings;
    if (databaseUrl === undefined && !hasCluster(dataDirectory))
      throw new CannotStart(`DATA_DIR ${dataDirectory} has no database; is DATA_DIR right?`);
    const stopped = new AbortController();
    void stopSignal().then((name) =>
      stopped.abort(new CannotStart(`${name}: the backup was stopped, and ${file} removed`)),
    );
    await withContents(settings, async (contents) => {
      const { results, missing } = await writeBackup({ ...contents, file, signal: stopped.signal });
      out(
        `${file}: the database and ${results} ` +
          `results${missing === 0 ? '' : `; ${missing} results are not in ${contents.jobsDirectory}`}\n`,
      );
    });
  });
};
