import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';

const FOLDER = new URL('../../prisma/migrations/', import.meta.url);

describe('a migration that has landed', () => {
  test('never changes: databases that have it would be refused', async () => {
    const names = (await readdir(FOLDER, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
    const lines = await Promise.all(
      names.map(
        async (name) =>
          `${createHash('sha256')
            .update(await readFile(new URL(`${name}/migration.sql`, FOLDER)))
            .digest('hex')}  ${name}`,
      ),
    );
    const landed = (await readFile(new URL('landed-migrations.txt', import.meta.url), 'utf8'))
      .trimEnd()
      .split('\n');
    // A new migration gets its line in the commit that brings it
    // (`sha256sum prisma/migrations/NAME/migration.sql`).
    expect(lines).toEqual(landed);
  });
});
