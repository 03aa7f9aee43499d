import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilStarted } from '../../../src/runners/process/start/start.ts';
import { removeRoot, temporaryRoot } from '../workloads.ts';

const root = temporaryRoot();
afterAll(() => removeRoot(root));

/** A launch script that ends just before its `looks`th check, with its work done. */
function script(place: { readonly status: string }, looks: number, status: string) {
  let looked = 0;
  return {
    signalCode: null,
    get exitCode(): number | null {
      looked += 1;
      if (looked < looks) return null;
      writeFileSync(place.status, status);
      return 0;
    },
    kill: () => true,
  };
}

describe('a launch script', () => {
  const started = 'start 77 123 385fad21-30c8-4773-9f6a-dd9220c13fdc\n';
  const placeOf = (name: string) => {
    mkdirSync(join(root, name));
    return { status: join(root, name, 'status'), started: join(root, name, 'started') };
  };

  test.each([1, 2, 3])(
    'that starts and ends just before look %s at it has started',
    async (looks) => {
      const place = placeOf(`short-${looks}`);
      await expect(
        untilStarted(place, script(place, looks, `${started}exit 0\n`)),
      ).resolves.toBeUndefined();
    },
  );

  test('that finds another one started waits for its status', async () => {
    const place = placeOf('second');
    writeFileSync(place.started, '');
    const waiting = untilStarted(place, { exitCode: 0, signalCode: null, kill: () => true });
    setTimeout(() => writeFileSync(place.status, started), 100);
    await expect(waiting).resolves.toBeUndefined();
  });

  test('that ends without a status has not started', async () => {
    const place = placeOf('silent');
    await expect(untilStarted(place, script(place, 2, ''))).rejects.toThrow(
      'the launch script did not start',
    );
  });
});
