import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isPassing } from '../../../src/runners/passing.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import { canMount, openSmallDisc } from '../../places/small-disc.ts';
import { ended, shell } from '../workloads.ts';

(canMount ? describe : describe.skip)('a disc that fills up while a job is prepared', () => {
  test('keeps the job waiting, which runs once there is room', async () => {
    const disc = openSmallDisc('1m');
    if (disc === undefined) throw new Error('no disc');
    const jobsRoot = join(disc.folder, 'jobs');
    const filler = join(disc.folder, 'filler');
    chmodSync(disc.folder, 0o711);
    const runner = processRunner({ jobsRoot, urls: { allowHosts: [], fileRoots: [] } });
    const wanted = shell('exit 3');
    const isHeld = async (): Promise<boolean> => {
      try {
        writeFileSync(filler, Buffer.alloc(2 ** 21));
      } catch {}
      return true;
    };
    try {
      const error = await runner.submit({ ...wanted, claim: { attempt: 1, isHeld } }).then(
        () => 'none',
        (cause: unknown) => cause,
      );
      expect(isPassing(error)).toBe(true);
      expect(await runner.look(wanted.job)).toEqual({ state: 'absent' });
      rmSync(filler);
      await runner.submit({ ...wanted, claim: { ...wanted.claim, attempt: 2 } });
      expect(await ended(runner, wanted.job)).toMatchObject({
        code: 'task-failed',
        message: 'the task ended with exit code 3',
      });
      await runner.remove(wanted.job);
    } finally {
      await runner.close();
      disc.remove();
    }
  });
});
