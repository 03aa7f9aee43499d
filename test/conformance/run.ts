import { resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openFolder } from './folder.ts';
import { judgeFolder } from './judge.ts';

/*
 * npm run conformance -- DIR: runs every case of a folder in the layout of ../shared/tpv and prints
 * how many agree with the real TPV, then each difference. Exit code 0 only if all agree.
 */
const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || more.length > 0) {
  console.error('usage: npm run conformance -- DIR');
  process.exitCode = 2;
} else {
  try {
    const results = await judgeFolder(openFolder(pathToFileURL(resolve(folder) + sep)));
    const failed = results.filter(({ difference }) => difference !== undefined);
    console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
    for (const { id, kind, difference } of failed)
      console.log(`${kind} ${id}\n  ${difference ?? ''}`);
    process.exitCode = failed.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
