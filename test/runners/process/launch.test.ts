import { afterAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchScript, UNSAID } from '../../../src/runners/process/start/script.ts';
import { untilStarted } from '../../../src/runners/process/start/start.ts';
import { newJob, removeRoot, shell, temporaryRoot } from '../workloads.ts';

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

  test('that cannot say that it runs, as on a full disk, starts nothing of the job', () => {
    const place = placeOf('full');
    const ran = join(root, 'full', 'ran');
    writeFileSync(
      join(root, 'full', 'job.sh'),
      launchScript({
        job: newJob(),
        started: place.started,
        command: ['/bin/sh', '-c', 'echo > "$0"', ran],
        environment: {},
        limits: shell('').limits,
        uid: undefined,
        tasks: 10,
        reserve: { memory: 64, cpu: 0 },
        isolation: [],
        sandbox: [],
        cgroup: undefined,
      }),
    );
    // Started like by the runner, as the leader of a group, which it kills together with itself.
    const ends = (status: string): number | null =>
      spawnSync('/bin/sh', ['-c', `setsid -w /bin/sh job.sh 3>${status}`], {
        cwd: join(root, 'full'),
        stdio: 'ignore',
      }).status;
    expect(ends('/dev/full')).toBe(UNSAID);
    expect(existsSync(ran)).toBe(false);
    expect(existsSync(place.started)).toBe(true);
    // Nor does another script begin the run.
    expect(ends('status')).toBe(0);
    expect(existsSync(ran)).toBe(false);
  });
});
