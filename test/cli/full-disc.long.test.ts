import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canMount, openSmallDisc } from '../places/small-disc.ts';
import { openGround, PLANNER, type Ground } from './service-process.ts';

let ground: Ground;
beforeEach(async () => {
  ground = await openGround();
});
afterEach(() => ground.close());

test('a log that cannot be written stops no service: it goes on, and shuts down in order', async () => {
  const service = ground.start({
    command: ['sh', '-c', 'exec "$@" > /dev/full', 'sh', ...PLANNER, 'serve'],
  });
  await service.said('the log cannot be written to standard output: ENOSPC');
  expect(await service.stop()).toMatchObject({
    code: 0,
    signal: null,
    output: expect.not.stringContaining('    at '),
  });
});

/** Writes until the disc is full. */
function fill(file: string): void {
  const opened = openSync(file, 'w');
  try {
    for (;;) writeSync(opened, Buffer.alloc(4096));
  } catch {
  } finally {
    closeSync(opened);
  }
}

(canMount ? describe : describe.skip)(
  'a service on a disc that filled ' +
    `up${canMount ? '' : ' (skipped where file systems cannot be mounted: run it as root)'}`,
  () => {
    test('says so when it is started again, and starts once there is room', async () => {
      const disc = openSmallDisc('400m');
      if (disc === undefined) throw new Error('no file system could be mounted');
      try {
        const environment = { DATA_DIR: join(disc.folder, 'data') };
        const first = ground.start({ environment });
        await first.ready();
        expect((await first.stop()).code).toBe(0);
        const ballast = join(disc.folder, 'ballast');
        fill(ballast);
        const second = await ground.start({ environment }).ended;
        expect(second.output).toContain(
          `DATA_DIR ${environment.DATA_DIR} cannot be written: its disc is full; make room, ` +
            'or set DATA_DIR to another folder.',
        );
        expect(second).toMatchObject({ code: 1, output: expect.not.stringContaining('    at ') });
        rmSync(ballast);
        const third = ground.start({ environment });
        await third.ready();
        expect((await third.stop()).code).toBe(0);
      } finally {
        disc.remove();
      }
    });
  },
);
