import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { containerDevices } from '../../../src/runners/container/create/devices.ts';
import type { ContainerSettings } from '../../../src/runners/container/settings.ts';
import { draftRoot } from '../../../src/runners/run/draft.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';

const TYPE = 'urn:gpu';
const GPUS = { [TYPE]: ['0', '1'].map((id) => ({ id, files: [], cdi: undefined })) };
const FAR = {
  kind: 'tcp',
  host: 'gpus.example.org',
  port: 2376,
  tls: { ca: '/ca', cert: '/cert', key: '/key' },
} as const;
const HERE = { kind: 'unix', path: '/run/docker.sock' } as const;

let root: string;
beforeEach(() => {
  root = temporaryRoot();
});
afterEach(() => removeRoot(root));

/** The devices that an executor of this host lends to a job that needs one. */
async function lent(
  address: ContainerSettings['address'],
  host: string,
): Promise<readonly string[] | undefined> {
  const api = {
    call: () => Promise.reject(new Error('the engine is away')),
    open: () => Promise.reject(new Error('the engine is away')),
  };
  const pool = containerDevices(api, { jobsRoot: root, host }, { address, gpus: GPUS });
  const holder = `${newJob()}.1.x`;
  mkdirSync(draftRoot(root, holder), { recursive: true });
  return (await pool?.lend(holder, { type: TYPE, count: 1 }))?.map(({ id }) => id);
}

describe('no two jobs get the same device', () => {
  test('of an engine that executors of two hosts use', async () => {
    expect(await lent(FAR, 'one')).toEqual(['0']);
    expect(await lent(FAR, 'two')).toEqual(['1']);
  });

  test('of a machine whose executor begins again in another container', async () => {
    expect(await lent(HERE, 'one')).toEqual(['0']);
    expect(await lent(HERE, 'one')).toEqual(['1']);
  });

  test('and engines of two machines have devices of their own', async () => {
    expect(await lent(HERE, 'one')).toEqual(['0']);
    expect(await lent(HERE, 'two')).toEqual(['0']);
  });
});
