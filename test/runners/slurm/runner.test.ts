import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SlurmSettings } from '../../../src/runners/slurm/settings.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { readNodeStatus } from '../../../src/runners/batch/status.ts';
import { BatchUnreachable } from '../../../src/runners/batch/system.ts';
import type { SlurmClient } from '../../../src/runners/slurm/client.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { asRoot, newJob, removeRoot, temporaryRoot } from '../workloads.ts';
import { slurmSettings } from './settings.ts';

const root = temporaryRoot();
afterAll(() => removeRoot(root));

const settings = slurmSettings({
  access: { transport: 'cli', conf: undefined, bin: '/no/such/folder' },
  user: asRoot ? 'nobody' : undefined,
});
function open(more: Partial<SlurmSettings>) {
  return slurmRunner(
    { ...settings, ...more },
    { jobsRoot: join(root, 'jobs'), urls: { allowHosts: [], fileRoots: [] } },
  );
}

describe('a slurm runner that cannot work here says so when the service starts:', () => {
  test('without the commands', () => expect(() => open({})).toThrow('/no/such/folder/sbatch'));
  test('with an unknown user', () =>
    expect(() => open({ user: 'no-such-user' })).toThrow(
      asRoot ? 'this machine has no user no-such-user' : 'only root',
    ));
  test('as root, without a user for the jobs', () =>
    expect(() => open({ user: undefined })).toThrow(asRoot ? "needs 'user'" : 'sbatch'));
});

test('a slurm runner checks whether its engine answers without asking for its jobs', async () => {
  let isThere = true;
  const client: SlurmClient = {
    submit: async () => 1,
    predict: async () => undefined,
    cancel: async () => undefined,
    jobs: async () => {
      throw new Error('all jobs were asked for');
    },
    probe: async () => {
      if (!isThere) throw new BatchUnreachable('unable to contact the controller');
    },
  };
  const local = { jobsRoot: join(root, 'probed'), urls: { allowHosts: [], fileRoots: [] } };
  const runner = slurmRunner(settings, local, client);
  await runner.probe?.();
  isThere = false;
  await expect(runner.probe?.()).rejects.toThrow('unable to contact');
  await runner.close();
});

describe('the status file of a node', () => {
  const place = directoryOf(root, newJob());
  const file = join(place.root, 'node/status');
  mkdirSync(join(place.root, 'node'), { recursive: true });

  test('is read when it is a file', async () => {
    writeFileSync(file, 'start 3\nexit 1\n');
    expect(await readNodeStatus(place)).toMatchObject({ began: 3, exit: 1 });
  });

  test('is ignored when the job put a link, a pipe or a flood in its place', async () => {
    rmSync(file);
    expect(await readNodeStatus(place)).toMatchObject({ began: undefined });
    symlinkSync('/dev/zero', file);
    expect(await readNodeStatus(place)).toMatchObject({ began: undefined });
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect(await readNodeStatus(place)).toMatchObject({ began: undefined });
    rmSync(file);
    writeFileSync(file, `start 4\n${'x'.repeat(1_000_000)}\nexit 0\n`);
    expect(await readNodeStatus(place)).toMatchObject({ began: 4, exit: undefined });
  });
});
