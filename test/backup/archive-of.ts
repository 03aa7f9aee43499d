import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** What a backup of an empty table says of itself. */
export const MANIFEST = {
  format: 'execution-planner-backup-1',
  at: '2026-11-22T00:00:00.000Z',
  migrations: ['0'],
  tables: [{ name: 'ask', columns: ['id'] }],
  sequences: { ask_id_seq: '7' },
};

/** A tar file of a manifest and two results, whose content cannot be compressed. */
export async function archiveOf(manifest: unknown): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'backup.json' }, JSON.stringify(manifest));
  for (const name of ['jobs/a/one', 'jobs/a/two'])
    archive.entry({ name }, crypto.getRandomValues(Buffer.alloc(60_000)));
  archive.finalize();
  return gzipSync(await buffer(archive));
}
