import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineApi } from '../../../src/runners/container/api/client.ts';
import { containerName, inspect } from '../../../src/runners/container/api/inspected.ts';
import { parseOfferId } from '../../../src/words/ids.ts';
import { seconds } from '../../../src/words/units.ts';
import { ended, run, shell, until } from '../../runners/workloads.ts';
import { makeCertificates } from '../certificates.ts';
import type { ContainerBench } from './bench.ts';
import { IMAGE } from './images.ts';

/** Promises to jobs when their engine's service or their executor ends. */
export function servicePromises(bench: ContainerBench): void {
  const { open, textOf } = bench;

  describe('the service of the engine', () => {
    test('can restart in the middle of a job, which goes on and loses no output', async () => {
      const work = shell('for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done; exit 5');
      await bench.runner.submit(work);
      await until(() => textOf(work, 'stdout').includes('2'), 'output');
      await bench.engine.restart();
      expect(await ended(bench.runner, work.job)).toMatchObject({
        kind: 'failed',
        message: 'the task ended with exit code 5',
      });
      expect(textOf(work, 'stdout')).toBe('1\n2\n3\n4\n5\n6\n');
    });

    test('can be away: jobs are kept, and lost with a reason after the limit of the site', async () => {
      const patient = open({ unreachableLimit: seconds(2) });
      const work = shell('sleep 300');
      await patient.submit(work);
      await bench.engine.stopService();
      try {
        await expect(patient.look(work.job)).rejects.toThrow(/engine\.sock/);
        const outcome = await until(
          async () => (await patient.look(work.job).catch(() => undefined))?.state === 'ended',
          'the end',
        ).then(() => patient.look(work.job));
        expect(outcome).toMatchObject({
          state: 'ended',
          outcome: {
            kind: 'failed',
            code: 'run-lost',
            message: expect.stringContaining('gave no usable answer for 2 s'),
          },
        });
      } finally {
        await bench.engine.startService();
      }
      await until(
        async () => (await inspect(bench.engine.api, work.job)) === undefined,
        'the end of the abandoned container',
      );
      await patient.remove(work.job);
    });

    if (bench.name === 'docker') {
      test('is reached at a port with certificates on both sides, and not without', async () => {
        const address = bench.engine.tcp;
        if (address?.kind !== 'tcp') throw new Error('no port');
        const work = shell('echo by TLS');
        expect(await run(open({ address }), work)).toMatchObject({ kind: 'completed' });
        expect(textOf(work, 'stdout')).toBe('by TLS\n');
        const other = makeCertificates(bench.images);
        const stranger = engineApi({ ...address, tls: { ...address.tls, ...other.client } });
        await expect(stranger.call({ method: 'GET', path: '/version' })).rejects.toThrow(
          /certificate|alert|socket hang up|ECONNRESET/i,
        );
        const impostor = engineApi({ ...address, tls: { ...address.tls, ca: other.ca } });
        await expect(impostor.call({ method: 'GET', path: '/version' })).rejects.toThrow(
          /certificate/i,
        );
      });
    }

    test('may have dropped a container: the job is lost and does not hang', async () => {
      const work = shell('sleep 300');
      await bench.runner.submit(work);
      await bench.engine.api
        .call({
          method: 'DELETE',
          path: `/containers/${containerName(work.job)}`,
          query: { force: '1' },
        })
        .catch(() => undefined);
      expect(await ended(bench.runner, work.job)).toMatchObject({
        kind: 'failed',
        code: 'run-lost',
        transient: true,
      });
    });
  });

  describe('an executor', () => {
    test('that is killed leaves its job running, and the next one has its whole output', async () => {
      const script = 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done; echo kept > f';
      const executor = spawn(
        process.execPath,
        [
          '--no-warnings',
          fileURLToPath(new URL('submitter.ts', import.meta.url)),
          bench.jobsRoot,
          bench.engine.socket,
          `${bench.engine.registry}/${IMAGE}`,
          script,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const job = parseOfferId(String((await once(executor.stdout, 'data'))[0]).trim());
      if (job === undefined) throw new Error('no job');
      const stdout = (): string => readFileSync(join(bench.jobsRoot, job, 'stdout'), 'utf8');
      await until(() => stdout().includes('2'), 'output');
      executor.kill('SIGKILL');
      await once(executor, 'exit');
      expect(await bench.runner.look(job)).toEqual({ state: 'running' });
      expect(await ended(bench.runner, job)).toMatchObject({
        kind: 'completed',
        results: expect.arrayContaining([expect.objectContaining({ id: 'f' })]),
      });
      expect(stdout()).toBe('1\n2\n3\n4\n5\n6\n');
    });
  });
}
