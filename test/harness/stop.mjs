import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Says which engines the run had, and which it had not and why (test/engines/summary.ts). */
const listEngines = async (directory) => {
  const text = await readFile(join(directory, 'engines'), 'utf8').catch(() => '');
  const notes = new Map(text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)).map(({ engine, missing }) => [engine, missing]));
  if (notes.size === 0) return;
  const lines = [...notes].toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([engine, missing]) => (missing === undefined ? `  ran       ${engine}` : `  not here  ${engine}: ${missing}`));
  process.stderr.write(`\nEngines:\n${lines.join('\n')}\n`);
};

export default async function stop() {
  const { server, directory } = globalThis.testDatabaseServer;
  await listEngines(directory);
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
