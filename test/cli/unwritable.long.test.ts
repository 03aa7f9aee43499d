import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { canMount, openSmallDisc, type SmallDisc } from '../places/small-disc.ts';
import { openGround, PLANNER, type End, type Ground } from './service-process.ts';

const asRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** What a planner printed besides its log, and its exit code. */
function saidBy({ code, output }: End) {
  return {
    code,
    said: output
      .split('\n')
      .filter(
        (line) =>
          line !== '' &&
          !line.startsWith('{') &&
          !line.startsWith('ExecutionPlanner demonstration'),
      ),
  };
}
/** One sentence, and the exit code of a failure. */
function sentence(text: string | RegExp) {
  return { code: 1, said: [expect.stringMatching(text)] };
}

describe('a start that cannot write says in one sentence where, why, and what to do', () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround(asRoot ? NOBODY : undefined);
  });
  afterAll(() => ground.close());

  const start = (
    environment: Readonly<Record<string, string>>,
    word: 'serve' | 'demo' = 'serve',
    uid?: number,
  ): Promise<End> =>
    ground.start({ environment, command: [...PLANNER, word], ...(uid !== undefined && { uid }) })
      .ended;

  test.each(['serve', 'demo'] as const)(
    '`planner %s` whose DATA_DIR is below a file',
    async (word) => {
      const file = join(ground.folder, `file-${word}`);
      writeFileSync(file, '');
      expect(
        saidBy(await start({ DATA_DIR: word === 'demo' ? file : join(file, 'data') }, word)),
      ).toEqual(
        sentence(
          `^DATA_DIR ${file}/\\w+ cannot be made: ${file} cannot be written: it is a file ` +
            'and not a folder; move it away, or set DATA_DIR to another folder\\.$',
        ),
      );
    },
  );

  test('JOBS_DIR that is a file', async () => {
    const file = join(ground.folder, 'jobs-file');
    writeFileSync(file, '');
    expect(saidBy(await start({ JOBS_DIR: file }))).toEqual(
      sentence(/^JOBS_DIR \S+jobs-file cannot be written: it is a file/),
    );
  });

  test.each(['DATA_DIR', 'JOBS_DIR'] as const)(
    '%s that an ordinary user may not write',
    async (setting) => {
      const folder = join(ground.folder, `closed-${setting}`);
      mkdirSync(folder, { mode: 0o755 });
      chmodSync(folder, 0o555);
      expect(
        saidBy(
          await start({ [setting]: join(folder, 'new') }, 'serve', asRoot ? NOBODY : undefined),
        ),
      ).toEqual(
        sentence(
          `^${setting} ${folder}/new cannot be made: ${folder} cannot be written: its ` +
            'user \\d+ may not write there; allow it, or set ' +
            `${setting} to another folder\\.$`,
        ),
      );
    },
  );
});

(canMount ? describe : describe.skip)(
  'on a disc that is full or ' +
    `read-only${canMount ? '' : ' (skipped where file systems cannot be mounted: run it as root)'}`,
  () => {
    let ground: Ground;
    let disc: SmallDisc;
    beforeAll(async () => {
      ground = await openGround();
      const opened = openSmallDisc('1m');
      if (opened === undefined) throw new Error('no file system could be mounted');
      disc = opened;
    });
    afterAll(async () => {
      disc.remove();
      await ground.close();
    });

    const start = (environment: Readonly<Record<string, string>>): Promise<End> =>
      ground.start({ environment }).ended;

    test('a new database is not created where it would not fit', async () => {
      expect(saidBy(await start({ DATA_DIR: join(disc.folder, 'small') }))).toEqual(
        sentence(
          new RegExp(
            String.raw`^\S+/small has \d MiB free on its disc, and a new database takes 128 MiB: ` +
              String.raw`make room, or set DATA_DIR to a folder on another disc\.$`,
          ),
        ),
      );
    });

    test.each(['DATA_DIR', 'JOBS_DIR'] as const)(
      '%s is named with what is wrong',
      async (setting) => {
        writeFileSync(join(disc.folder, 'fill'), Buffer.alloc(2 ** 20 - 2 ** 16));
        try {
          for (let count = 0; count < 64; count += 1)
            writeFileSync(join(disc.folder, `more-${count}`), Buffer.alloc(4096));
        } catch {}
        expect(saidBy(await start({ [setting]: join(disc.folder, 'new') }))).toEqual(
          sentence(
            `^${setting} \\S+/new cannot be made: \\S+ cannot be written: its disc is full; ` +
              `make room, or set ${setting} to another folder\\.$`,
          ),
        );
        disc.remount('ro');
        try {
          expect(saidBy(await start({ [setting]: join(disc.folder, 'new') }))).toEqual(
            sentence(
              /: it is on a file system that is mounted read-only; mount it for writing, or set /,
            ),
          );
        } finally {
          disc.remount('rw');
        }
      },
    );
  },
);
