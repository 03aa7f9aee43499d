import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/db/embedded.ts';
import { ensureDatabase, migrate } from '../../src/db/migrate.ts';
import { functionsOf } from './functions.ts';

/** `npm run functions`: migrates a throw-away database and writes prisma/functions.sql. */
const directory = await mkdtemp(join(tmpdir(), 'planner-functions-'));
await chmod(directory, 0o711);
const server = await startEmbedded({ directory, disposable: true });
try {
  await ensureDatabase(server.url('postgres'), 'planner');
  await migrate(server.url('planner'));
  await writeFile(
    new URL('../../prisma/functions.sql', import.meta.url),
    await functionsOf(server.url('planner')),
  );
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
