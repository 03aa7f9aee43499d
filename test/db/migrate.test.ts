import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SESSION_TRANSITIONS } from '../../src/planner/states.ts';
import { openDatabase } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { placeOffers, writeSites } from '../harness/book.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the schema', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db.close());

  test('migrating an up-to-date database applies nothing, from four processes at once', async () => {
    expect(await Promise.all([1, 2, 3, 4].map(() => migrate(db.url)))).toEqual([[], [], [], []]);
  });

  test('a URL without the names of database and account is refused without made-up ones', async () => {
    await expect(migrate('postgresql://127.0.0.1:1')).rejects.toThrow(
      /^the database (?!undefined)(?:\S+ )?at 127\.0\.0\.1:1 cannot be used(?! as undefined).*: connect ECONNREFUSED/,
    );
  });

  test('a URL with a certificate that is not there is refused with its file', async () => {
    await expect(migrate('postgresql://a:b@127.0.0.1:1/c?sslrootcert=/no/ca.pem')).rejects.toThrow(
      "DATABASE_URL cannot be used: ENOENT: no such file or directory, open '/no/ca.pem'",
    );
  });

  test('the table of allowed transitions in the database is the one of the program', async () => {
    const rows = await db.database.$queryRaw<{ from: string; to: string }[]>`
      SELECT from_state::text AS "from", to_state::text AS "to" FROM session_transition`;
    const program = Object.entries(SESSION_TRANSITIONS).flatMap(([from, next]) =>
      next.map((to) => `${from} ${to}`),
    );
    expect(rows.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(program.sort());
  });

  test('the Prisma schema describes the migrated database: every column of every model can be read', async () => {
    const {
      ask,
      destination,
      job,
      jobResult,
      offer,
      reservation,
      storageReservation,
      storageUse,
      store,
    } = db.database;
    const reads = [
      ask.findFirst(),
      destination.findFirst(),
      job.findFirst(),
      jobResult.findFirst(),
      offer.findFirst(),
      reservation.findFirst(),
      store.findFirst(),
      storageReservation.findFirst(),
      storageUse.findFirst(),
    ];
    expect(await Promise.all(reads)).toEqual(reads.map(() => null));
  });

  test('promises of the first release get the compute item and the kinds of storage that they lack', async () => {
    const { database } = db;
    const file = await readFile(
      new URL('../../prisma/migrations/20261121040000_storage/migration.sql', import.meta.url),
      'utf8',
    );
    const mend = file.slice(file.lastIndexOf('UPDATE offer'));
    await writeSites(database, { here: 4 });
    const [id] = (await placeOffers(database, [{ destination: 'here', cores: 1 }])) ?? [];
    const old = {
      task: {},
      name: 'one',
      gpus: { type: 'urn:gpu', count: 1 },
      volumes: [{ name: 'a', path: 'b', mode: 'r' }],
      storage: [{ name: 'a', size: 1024 }],
    };
    await database.$executeRaw`UPDATE offer SET promise = ${JSON.stringify(old)}::jsonb WHERE id = ${id}::uuid`;
    await database.$executeRawUnsafe(mend);
    expect((await database.offer.findFirst({ where: { id: id ?? '' } }))?.promise).toMatchObject({
      parts: [
        {
          name: 'one',
          replicas: 1,
          gpus: { count: 1 },
          volumes: [{ name: 'a' }],
          path: 'resources.compute[0]',
        },
      ],
      storage: [{ kind: 'ephemeral', name: 'a', size: 1024 }],
    });
  });

  test.each(['LATIN1', 'SQL_ASCII'])(
    'a database in %s, which could not return all that it is given, stops the start unchanged',
    async (encoding) => {
      const name = `other_${encoding.toLowerCase()}`;
      await db.database.$executeRawUnsafe(
        `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
      );
      const url = new URL(db.url);
      url.pathname = `/${name}`;
      await expect(migrate(url.href)).rejects.toThrow(
        `the database ${name} has the encoding ${encoding} but needs UTF8. Create it ` +
          `with: CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`,
      );
      const other = openDatabase(url.href, 1);
      expect(
        await other.$queryRaw`SELECT nspname FROM pg_namespace WHERE nspname = 'graphile_worker'`,
      ).toEqual([]);
      await other.$disconnect();
      await db.database.$executeRawUnsafe(`DROP DATABASE ${name}`);
    },
  );

  describe('of another version', () => {
    const serve = (script: string, more: readonly string[] = []) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--no-warnings', script, ...more],
        {
          cwd: root,
          encoding: 'utf8',
          env: {
            PATH: process.env['PATH'],
            DATABASE_URL: db.url,
            PORT: '0',
            LOG_LEVEL: 'silent',
            DATA_DIR: join(tmpdir(), 'nothing-is-written-here'),
          },
        },
      );
      return { status, text: `${stdout}${stderr}`.trim() };
    };
    const commands = [
      ['src/cli/planner.mjs', 'serve'],
      ['workers/executor.ts'],
      ['workers/sweeper.ts'],
    ] as const;

    test.each(commands)(
      'that is newer is refused in one sentence by %s, which changes nothing',
      async (script, ...more) => {
        await db.database.$executeRaw`
            INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
            VALUES ('x', 'x', '29990101000000_from_the_future', now())`;
        const { status, text } = serve(script, more);
        expect([status, text.split('\n').length]).toEqual([1, 1]);
        expect(text).toMatch(
          new RegExp(
            String.raw`^the database t_\w+ belongs to a newer version: it has a migration that this ` +
              String.raw`version does not know, the last is 29990101000000_from_the_future\. ` +
              String.raw`Nothing was changed\. Start the newer version, or`,
          ),
        );
        await db.database.$executeRaw`DELETE FROM _prisma_migrations WHERE id = 'x'`;
      },
    );

    test('that is older is refused by processes that do not migrate', async () => {
      const [last] = await db.database.$queryRaw<
        { name: string }[]
      >`SELECT max(migration_name) AS name FROM _prisma_migrations`;
      await db.database
        .$executeRaw`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = ${last?.name}`;
      for (const script of ['workers/executor.ts', 'workers/sweeper.ts']) {
        expect(serve(script)).toEqual({
          status: 1,
          text: expect.stringMatching(
            new RegExp(
              `^the database t_\\w+ belongs to an older version: it lacks ${last?.name}\\. ` +
                'Start the planner of this version',
            ),
          ),
        });
      }
      await db.database
        .$executeRaw`UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = ${last?.name}`;
    });

    test('that was made between releases is refused with what to do', async () => {
      await db.database
        .$executeRaw`UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name LIKE '%_functions'`;
      for (const [script, ...more] of commands) {
        const { status, text } = serve(script, more);
        expect([status, text.split('\n').length]).toEqual([1, 1]);
        expect(text).toMatch(
          new RegExp(
            String.raw`was not made by this version: its migration 20261121000100_functions differs ` +
              String.raw`from the one in prisma/migrations\. Nothing was changed\. ` +
              '.*begin with an empty database',
          ),
        );
      }
    });
  });
});
