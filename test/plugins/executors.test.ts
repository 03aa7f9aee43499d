import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { handOver } from '../../src/executor/handed-site.ts';
import { loadPlugins } from '../../src/plugins/load.ts';
import { readSiteTexts } from '../../src/site/load.ts';
import { startExecutor } from '../execution/executor-process.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { writeSite, type TestSite } from '../harness/site.ts';
import { removeRoot, temporaryRoot } from '../runners/workloads.ts';

const OTHERS = 'the plug-ins here are others than those of the planner whose site is in force';

const root = temporaryRoot();
const amounts = { cores: 1, memory: '1GiB', scratch: '1GiB' };
let db: TestDatabase;
let site: TestSite;
beforeAll(async () => {
  db = await openTestDatabase();
  const here = { runner: 'process', 'task-types': ['executable'], ...amounts };
  site = await writeSite(
    { rules: ['rules.yml'], destinations: { here } },
    { destinations: { here: { runner: 'process' } } },
  );
  plugin('planner', 'one');
  const { digest } = await loadPlugins(join(root, 'planner'));
  await handOver(db.database, await readSiteTexts(site.siteFile), digest);
});
afterAll(async () => {
  await db.close();
  await site.remove();
  removeRoot(root);
});

test('an executor of another host says when its plug-ins are not those of the planner', async () => {
  plugin('same', 'one');
  mkdirSync(join(root, 'same/word/node_modules'));
  writeFileSync(join(root, 'same/word/node_modules/package.mjs'), 'export default 1;');
  plugin('other', 'two');
  expect(await saidBy('same')).not.toContain(OTHERS);
  expect(await saidBy('other')).toContain(OTHERS);
});

/** A folder of plug-ins with one, which has a second module. */
function plugin(folder: string, word: string): void {
  mkdirSync(join(root, folder, 'word'), { recursive: true });
  writeFileSync(
    join(root, folder, 'word/plugin.mjs'),
    "import './word.mjs';\nexport default {};\n",
  );
  writeFileSync(join(root, folder, 'word/word.mjs'), `export const word = '${word}';\n`);
}

/** Starts an executor with these plug-ins. @returns what it logs until it is ready */
async function saidBy(plugins: string): Promise<string> {
  const executor = startExecutor(db, root, { PLUGINS_DIR: join(root, plugins) });
  await executor.ready();
  await executor.stop();
  return executor.said();
}
