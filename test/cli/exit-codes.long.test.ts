import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { archiveOf, MANIFEST } from '../backup/archive-of.ts';
import { PLANNER } from './service-process.ts';

/**
 * 0 success, 1 failure, 2 wrong arguments. lifecycle.long.test.ts has a taken port, migrate.test.ts
 * a refused database.
 */
describe('exit codes', () => {
  const NOWHERE = '/nowhere/rules.yml';
  const BACKUP = join(tmpdir(), `planner-backup-${process.pid}.tar.gz`);
  beforeAll(async () => writeFileSync(BACKUP, await archiveOf(MANIFEST)));
  afterAll(() => rmSync(BACKUP));
  const noDatabase = { DATABASE_URL: 'postgresql://ada:secret@127.0.0.1:1/planner' };
  const end = (words: readonly string[], { environment = {}, input = '' } = {}) => {
    const { status, stdout, stderr } = spawnSync(PLANNER[0], [...PLANNER.slice(1), ...words], {
      encoding: 'utf8',
      input,
      env: { ...process.env, ...environment },
    });
    return { code: status, text: stdout + stderr };
  };

  test.each([
    [0, ['help'], 'usage: planner COMMAND'],
    [0, ['--version'], ''],
    [2, ['chek'], "there is no command 'chek'"],
    [1, ['lint', NOWHERE], NOWHERE],
    [1, ['format', NOWHERE], NOWHERE],
    [1, ['dump', NOWHERE], NOWHERE],
    [1, ['dry-run', NOWHERE], NOWHERE],
    [2, ['why-not', NOWHERE], '--destination'],
    [1, ['why-not', '--destination', 'here', NOWHERE], NOWHERE],
    [2, ['diff', NOWHERE], 'the old rules and the new rules'],
    [1, ['restore', '/nowhere/b.tar.gz'], 'there is no file /nowhere/b.tar.gz'],
    [1, ['check', '/nowhere/site.yml'], '/nowhere/site.yml:1:1: the file cannot be read'],
    [2, ['hash-password'], 'give USER [ROLE...]'],
  ])('%s: planner %j', (code, words, text) => {
    expect(end(words)).toEqual({ code, text: expect.stringContaining(text) });
  });

  test.each<
    [
      string,
      readonly string[],
      { readonly environment?: Readonly<Record<string, string>>; readonly input?: string },
      string,
    ]
  >([
    [
      'a database that is away',
      ['backup', join(tmpdir(), `planner-none-${process.pid}.tar.gz`)],
      { environment: noDatabase },
      'ECONNREFUSED',
    ],
    [
      'a restore into a database that is away',
      ['restore', BACKUP],
      { environment: noDatabase },
      'cannot be used as ada: connect ECONNREFUSED',
    ],
    [
      'a setting that cannot be used',
      ['serve'],
      { environment: { PORT: '99999' } },
      "PORT must be a whole number from 0 to 65535, not '99999'",
    ],
    [
      'a site file that is not there',
      ['serve'],
      { environment: { SITE_FILE: '/nowhere/site.yml' } },
      '/nowhere/site.yml:1:1: the file cannot be read',
    ],
    [
      'a password that is too short',
      ['hash-password', 'ada'],
      { input: 'short\n' },
      'planner hash-password: the password must have 8 characters or more',
    ],
  ])('1: %s', (_what, words, circumstances, text) => {
    expect(end(words, circumstances)).toEqual({ code: 1, text: expect.stringContaining(text) });
  });
});
