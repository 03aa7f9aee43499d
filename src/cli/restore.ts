import { readManifest } from '../backup/archive.ts';
import { restoreBackup } from '../backup/restore.ts';
import { withContents, withSettings } from './backup.ts';
import { mustBeWritable } from '../places/writable.ts';
import type { Command } from './guarded.ts';
import { readPlain } from './words.ts';

/** `planner restore FILE` */
export const restore: Command = async (words, { out, err }) => {
  const [file = ''] = readPlain(words, { least: 1 });
  return withSettings(err, async (settings) => {
    // Before the database: a wrong file must not make one.
    const manifest = await readManifest(file);
    await withContents(settings, async (contents) => {
      mustBeWritable({ folder: contents.jobsDirectory, setting: 'JOBS_DIR' });
      const { at, results, lost } = await restoreBackup({ ...contents, file, manifest });
      out(
        `${file}: restored as of ${at}, with ${results} results; ${lost} jobs that ran then ` +
          'have failed with run-lost\n',
      );
    });
  });
};
