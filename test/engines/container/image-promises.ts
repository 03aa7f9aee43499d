import { describe, expect, test } from '@jest/globals';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContainerSettings } from '../../../src/runners/container/settings.ts';
import type { Outcome } from '../../../src/runners/port.ts';
import type { ContainerTask } from '../../../src/tasks/task.ts';
import { isRecord } from '../../../src/words/record.ts';
import { seconds } from '../../../src/words/units.ts';
import { run, until } from '../../runners/workloads.ts';
import type { ContainerBench } from './bench.ts';
import { IMAGE, imageOf } from './images.ts';

/** Promises about the sources of images, and about failures there. */
export function imagePromises(bench: ContainerBench): void {
  const { oci, open, textOf } = bench;

  const digestOf = async (): Promise<string> => {
    const found = await bench.engine.api.call({
      method: 'GET',
      path: `/images/${bench.engine.registry}/${IMAGE}/json`,
    });
    const [digest] =
      isRecord(found) && Array.isArray(found['RepoDigests']) ? found['RepoDigests'] : [];
    return String(digest).split('@')[1] ?? '';
  };

  describe('an image', () => {
    const failing = async (
      image: Partial<ContainerTask>,
      more: Partial<ContainerSettings> = {},
    ): Promise<Outcome> => run(open(more), oci(image));

    test('is pulled by its tag and by its digest', async () => {
      expect(await run(open({ pull: 'always' }), oci())).toMatchObject({ kind: 'completed' });
      const work = oci({
        image: {
          ...imageOf(bench.engine.registry, IMAGE),
          tag: undefined,
          digest: await digestOf(),
        },
        architectures: ['amd64', 'arm64'],
      });
      expect(await run(bench.runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('the command of the image\n');
    });

    test('that the registry does not have ends the job, with the words of the registry', async () => {
      expect(await failing({ image: imageOf(bench.engine.registry, 'ci/bb:none') })).toMatchObject({
        kind: 'failed',
        code: 'fetch-failed',
        transient: false,
        message: expect.stringMatching(/ci\/bb:none could not be pulled: .*unknown/),
      });
      expect(
        await failing({
          image: { ...imageOf(bench.engine.registry, IMAGE), digest: `sha256:${'0'.repeat(64)}` },
        }),
      ).toMatchObject({ kind: 'failed', code: 'fetch-failed' });
    });

    test("of a registry that asks for a password is pulled with the site's credentials only", async () => {
      const guarded = await bench.engine.openGuarded();
      try {
        const image = imageOf(guarded.address, IMAGE);
        expect(await failing({ image })).toMatchObject({
          kind: 'failed',
          code: 'fetch-failed',
          transient: false,
        });
        const auth = join(bench.engine.folder, 'auth.json');
        writeFileSync(auth, JSON.stringify(guarded.auth));
        const work = oci({ image });
        expect(await run(open({ auth }), work)).toMatchObject({
          kind: 'completed',
          results: [{ id: 'stdout' }, { id: 'stderr' }],
        });
        expect(textOf(work, 'stdout')).toBe('guarded\n');
      } finally {
        await guarded.stop();
      }
    });

    test('for an architecture that was not asked for does not run', async () => {
      expect(
        await failing({ architectures: [process.arch === 'arm64' ? 'amd64' : 'arm64'] }),
      ).toMatchObject({
        kind: 'failed',
        code: 'image-mismatch',
        message: expect.stringMatching(/the image is for \w+, and not for \w+/),
      });
    });

    test('comes from an archive in a directory that the site lends, and from nowhere else', async () => {
      copyFileSync(join(bench.engine.folder, 'image.tar'), join(bench.images, 'image.tar'));
      symlinkSync('/etc/hostname', join(bench.images, 'link.tar'));
      const archive = (file: string, digest?: string): Partial<ContainerTask> => ({
        image: { kind: 'archive', url: pathToFileURL(join(bench.images, file)).href, digest },
      });
      const work = oci(archive('image.tar'));
      expect(await run(bench.runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('the command of the image\n');
      expect(await failing(archive('image.tar', `sha256:${'0'.repeat(64)}`))).toMatchObject({
        kind: 'failed',
        code: 'image-mismatch',
      });
      expect(await failing(archive('link.tar'))).toMatchObject({
        kind: 'failed',
        code: 'url-forbidden',
      });
      expect(await failing(archive('none.tar'))).toMatchObject({
        kind: 'failed',
        code: 'fetch-failed',
      });
    });

    test('that does not come in time ends the job, and a job that waits for one can be stopped', async () => {
      const sockets = new Set<Socket>();
      const silent = createServer(
        (socket) => void sockets.add(socket.on('error', () => undefined)),
      );
      await new Promise<void>((resolve) => {
        silent.listen(0, '127.0.0.1', resolve);
      });
      const address = silent.address();
      const image = imageOf(
        `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
        'slow:1',
      );
      try {
        expect(await failing({ image }, { pullLimit: seconds(1) })).toMatchObject({
          kind: 'failed',
          code: 'fetch-timeout',
          transient: true,
        });
        const work = oci({ image });
        const submitted = bench.runner.submit(work);
        await until(() => sockets.size > 1, 'the pull');
        await bench.runner.stop(work.job, 'cancelled');
        await submitted;
        expect(await bench.runner.look(work.job)).toMatchObject({
          state: 'ended',
          outcome: { kind: 'stopped', reason: 'cancelled' },
        });
      } finally {
        for (const socket of sockets) socket.destroy();
        silent.close();
      }
    });
  });
}
