import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

export default async function stop() {
  const { server, directory } = globalThis.testDatabaseServer;
  await listEngines(directory);
  await server.stop();
  await rm(directory, { recursive: true, force: true });
  process.stderr.write(globalThis.testsNotRun ?? '');
  process.stderr.write(globalThis.testsFailed ?? '');
}

/** Says which engines the run had (test/engines/summary.ts). */
async function listEngines(directory) {
  const text = await readFile(join(directory, 'engines'), 'utf8').catch(() => '');
  const engines = new Set(text.split('\n').filter((line) => line !== ''));
  if (engines.size > 0)
    process.stderr.write(
      `\nEngines that ran:\n${[...engines]
        .toSorted()
        .map((engine) => `  ${engine}\n`)
        .join('')}`,
    );
}
