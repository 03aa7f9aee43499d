import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { fetchPart, fetchResult } from '../../src/cli/conversation.ts';
import { until } from '../runners/workloads.ts';
import {
  program,
  reasonsOf,
  startStorageSite,
  STORAGE,
  storageOf,
  type Item,
  type StorageSite,
} from './storage-site.ts';

describe('volumes of one job, and data from elsewhere', () => {
  let site: StorageSite;
  beforeAll(async () => {
    site = await startStorageSite();
  });
  afterAll(() => site?.close());

  test.each<readonly [string, () => Item, string, string]>([
    [
      'below a prefix of a bucket',
      () => ({
        type: `${STORAGE}/amazon-S3`,
        endpoint: site.s3.account.endpoint,
        bucket: 'data',
        prefix: 'images/',
      }),
      'cat data/a.txt data/deep/b.txt',
      'firstsecond',
    ],
    [
      'one object of a bucket',
      () => ({
        type: `${STORAGE}/amazon-S3`,
        endpoint: site.s3.account.endpoint,
        bucket: 'data',
        object: 'other.txt',
        size: '1Gb',
      }),
      'cat data/other.txt',
      'third',
    ],
    [
      'a public bucket, without credentials',
      () => ({
        type: `${STORAGE}/amazon-S3`,
        endpoint: site.open.account.endpoint,
        bucket: 'pub',
        object: 'deep/sky.txt',
      }),
      'cat data/sky.txt',
      'public',
    ],
    [
      'a file on the web',
      () => ({ type: `${STORAGE}/https`, location: `${site.webUrl}/m31.txt` }),
      'cat data/m31.txt',
      'andromeda',
    ],
    [
      'a file that Rucio knows',
      () => ({
        type: `${STORAGE}/rucio`,
        endpoint: site.webUrl,
        scope: 'survey',
        object: 'm31.txt',
      }),
      'cat data/m31.txt',
      'andromeda',
    ],
  ])('data from elsewhere is there before the run: %s', async (_, item, script, output) => {
    const answer = await site.ask(program(script), item(), { mode: 'r' });
    expect(storageOf(answer)).toMatchObject({ name: 'one', ...item() });
    const done = await site.service.follow(answer);
    expect(done.last).toBe('COMPLETED');
    expect(await fetchResult(done.job, 'stdout')).toBe(output);
    expect(await fetchPart(done.job, 'results')).not.toContain('.txt');
  });

  test('data that cannot be read, or exceeds the scratch space, fails the job with its own code', async () => {
    const missing = await site.service.follow(
      await site.ask(
        program('true'),
        { type: `${STORAGE}/https`, location: `${site.webUrl}/nothing` },
        {},
      ),
    );
    expect([missing.last, await fetchPart(missing.job, 'error')]).toEqual([
      'ERROR',
      expect.stringMatching(/^fetch-failed: .*one.*404/),
    ]);
    const absent = await site.service.follow(
      await site.ask(
        program('true'),
        {
          type: `${STORAGE}/amazon-S3`,
          endpoint: site.s3.account.endpoint,
          bucket: 'data',
          object: 'absent',
        },
        {},
      ),
    );
    expect([absent.last, await fetchPart(absent.job, 'error')]).toEqual([
      'ERROR',
      expect.stringContaining(
        'storage-load-failed: the volume one: the service has no object absent in a bucket data',
      ),
    ]);
  });

  test('a job whose data does not come can be aborted meanwhile, and its space is free again', async () => {
    const answer = await site.ask(
      program('true'),
      { type: `${STORAGE}/https`, location: `${site.webUrl}/silent` },
      {},
    );
    const followed = site.service.follow(answer);
    await until(() => site.requested.includes('/silent'), 'a request for the data');
    const { job } = Object(load(answer)).response.offers[0].connection;
    await fetch(`${job}/phase`, {
      method: 'POST',
      body: new URLSearchParams({ PHASE: 'ABORT' }),
      redirect: 'manual',
    });
    expect((await followed).last).toBe('ABORTED');
    expect(await site.service.db.database.reservation.count({ where: { state: 'FIRM' } })).toBe(0);
  });

  test('a volume lies inside a larger one, at the deepest path in letters of three bytes', async () => {
    const deep = Array.from({ length: 6 }, () => '語'.repeat(82)).join('/');
    const volumes = [
      { name: 'inner', path: 'data/in//', mode: 'r' },
      { name: 'outer', path: 'data' },
      { name: 'deep', path: deep },
    ];
    const ephemeral = { type: `${STORAGE}/ephemeral`, size: '1Gb' };
    const answer = await site.service.ask({
      task: program(`cat data/in/m31.txt && echo x > data/x && echo y > ${deep}/y && ls data`),
      resources: {
        compute: [{ volumes }],
        storage: [
          { name: 'outer', ...ephemeral },
          { name: 'deep', ...ephemeral },
          { name: 'inner', type: `${STORAGE}/https`, location: `${site.webUrl}/m31.txt` },
        ],
      },
    });
    const done = await site.service.follow(answer);
    expect([done.last, await fetchResult(done.job, 'stdout')]).toEqual([
      'COMPLETED',
      'andromedain\nx\n',
    ]);
  });

  test('an ephemeral volume without a size gets the default of the site, which the offer shows', async () => {
    const tried = async (resources: object, task: object = program('true')): Promise<string> => {
      const response = await fetch(`${site.service.url}/request?dry-run=true`, {
        method: 'POST',
        body: JSON.stringify({ task, resources }),
        headers: { 'Content-Type': 'application/json' },
      });
      return response.text();
    };
    const [a, b] = ['a', 'b'].map((name) => ({ name, type: `${STORAGE}/ephemeral` }));
    const compute = [
      {
        volumes: [
          { name: 'a', path: 'a' },
          { name: 'b', path: 'b' },
        ],
      },
    ];
    const first = await tried({ compute, storage: [a, b] });
    const { request } = Object(load(first)).response.offers[0];
    expect(request.resources.storage).toEqual([
      { ...a, size: '20Gb' },
      { ...b, size: '20Gb' },
    ]);
    expect(Object(load(await tried(request.resources, request.task))).response).toMatchObject({
      result: 'YES',
      offers: [{ request }],
    });
    const tooMuch = await tried({ compute, storage: [{ ...a, size: '70Gb' }, b] });
    expect(reasonsOf(tooMuch)).toContainEqual(
      expect.objectContaining({
        destination: 'programs',
        path: 'resources.storage',
        asked: '90Gb',
      }),
    );
    expect(Object(load(tooMuch)).response.nearest.changes).toMatchObject([
      { path: 'resources.storage[0].size', to: '60Gb' },
    ]);
  });

  test.each([
    ['has other contents than Rucio says', 'changed.txt', 'its MD5 is another'],
    ['is a data set of several files', 'set', 'is a data set of 2 files'],
    ['has no replica that is read by http or https', 'far.txt', 'knows no replica'],
  ])('a file that Rucio knows fails the job when it %s', async (_, object, text) => {
    const done = await site.service.follow(
      await site.ask(
        program('true'),
        { type: `${STORAGE}/rucio`, endpoint: site.webUrl, scope: 'survey', object },
        {},
      ),
    );
    expect([done.last, await fetchPart(done.job, 'error')]).toEqual([
      'ERROR',
      expect.stringContaining(text),
    ]);
  });

  test('the sizes that a client gives are the input size for the rules', async () => {
    const big = await site.ask(
      program('true'),
      { type: `${STORAGE}/https`, location: `${site.webUrl}/m31.txt`, size: '4Gb' },
      {},
    );
    expect(reasonsOf(big)).toContainEqual(
      expect.objectContaining({
        code: 'rule-failed',
        text: expect.stringContaining('too much data'),
      }),
    );
  });

  test('plug-ins bring data in and take it back, and say what a destination is', async () => {
    const item = { type: 'https://example.org/storage-type/catalogue', stars: ['Vega', 'Deneb'] };
    const observatory = {
      type: 'https://example.org/compute-type/observatory',
      observatory: { 'min-altitude': 2000 },
    };
    const answer = await site.ask(program('cat data/stars.txt'), item, { mode: 'r' }, observatory);
    expect(Object(load(answer)).response.offers[0].request.resources).toMatchObject({
      compute: [observatory],
      storage: [item],
    });
    const done = await site.service.follow(answer);
    expect(await fetchResult(done.job, 'stdout')).toBe('Vega\nDeneb\n');
    expect(
      reasonsOf(
        await site.ask(
          program('true'),
          item,
          { mode: 'r' },
          { ...observatory, observatory: { 'min-altitude': 5000 } },
        ),
      ),
    ).toContainEqual(
      expect.objectContaining({
        code: 'compute-type-mismatch',
        destination: 'programs',
        path: 'resources.compute[0].observatory',
      }),
    );
    expect(
      reasonsOf(await site.ask(program('true'), { ...item, stars: 5 }, { mode: 'r' })),
    ).toMatchObject([{ code: 'storage-value-invalid', path: 'resources.storage[0].stars' }]);
  });
});
