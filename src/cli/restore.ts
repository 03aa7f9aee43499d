import { restoreBackup } from '../backup/restore.ts';
import { withDatabase, withSettings } from './backup.ts';
import type { Command } from './guarded.ts';
import { readPlain } from './words.ts';

/** `planner restore FILE` */
export const restore: Command = async (words, { out, err }) => {
  const [file = ''] = readPlain(words, { least: 1 });
  return withSettings(err, (settings) =>
    withDatabase(settings, async (databaseUrl) => {
      const { at, results, lost } = await restoreBackup({
        databaseUrl,
        jobsDirectory: settings.jobsDirectory,
        file,
      });
      out(
        `${file}: restored as of ${at}, with ${results} results; ${lost} jobs that ran then ` +
          'have failed with run-lost\n',
      );
    }),
  );
};
