import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { fetchPart, fetchResult, firstOffer, sendAsk } from '../../src/cli/conversation.ts';
import { until } from '../runners/workloads.ts';
import {
  persistent,
  program,
  reasonsOf,
  startStorageSite,
  STORAGE,
  storageOf,
  TYPE,
  type Item,
  type StorageSite,
  type Stored,
} from './storage-site.ts';

describe('volumes that outlive their jobs', () => {
  let site: StorageSite;
  beforeAll(async () => {
    site = await startStorageSite();
  });
  afterAll(() => site?.close());

  const expireAll = () =>
    site.service.db.database.$executeRaw`
      UPDATE storage_reservation
      SET starts_at = least(starts_at, clock_timestamp()), ends_at = clock_timestamp()
      WHERE state = 'FIRM'`;

  test('the printed volume of an offer that was not accepted is a new one like it, at the same place', async () => {
    const offered = async (item: Item): Promise<Stored> => {
      const answer = await site.ask(program('true'), item, { mode: 'rw' });
      for (const { href } of Object(load(answer)).response.offers ?? [])
        await fetch(href, {
          method: 'POST',
          headers: { 'Content-Type': 'application/yaml' },
          body: 'status: REJECTED',
        });
      return storageOf(answer);
    };
    const stored = await offered(persistent);
    const again = await offered(stored);
    expect(again).toEqual({ ...stored, objectid: expect.any(String) });
    expect(again.objectid).not.toBe(stored.objectid);
    // The site has no other place.
    expect(
      reasonsOf(
        await site.ask(
          program('true'),
          { ...stored, endpoint: 'https://elsewhere.example.org' },
          {},
        ),
      ),
    ).toContainEqual(expect.objectContaining({ code: 'storage-not-here' }));
    const { lifetime: _lifetime, ...kept } = stored;
    expect(reasonsOf(await site.ask(program('true'), kept, {}))).toContainEqual(
      expect.objectContaining({ code: 'unknown-object', path: 'resources.storage[0].objectid' }),
    );
  });

  test('what one job writes to a persistent volume, a later one that names its object reads', async () => {
    const first = await site.ask(
      program('mkdir data/deep && echo hello > data/deep/out.txt'),
      persistent,
      { mode: 'rw' },
    );
    const stored = storageOf(first);
    expect(stored).toMatchObject({
      type: `${STORAGE}/directory`,
      lifecycle: 'managed',
      lifetime: 'P1D',
      size: '1Gb',
      objectid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    // It is allocated only after accept.
    await expect(readdir(join(site.service.folder, 'archive', stored.objectid))).rejects.toThrow(
      'ENOENT',
    );
    const written = await site.service.follow(first);
    expect(written.last).toBe('COMPLETED');
    expect(
      await readFile(
        join(site.service.folder, 'archive', stored.objectid, 'deep', 'out.txt'),
        'utf8',
      ),
    ).toBe('hello\n');
    expect(await fetchPart(written.job, 'results')).not.toContain('out.txt');
    // The results of a destroyed job stay until they expire.
    await fetch(written.job, { method: 'DELETE', redirect: 'manual' });

    const kept = { type: `${STORAGE}/persistent`, objectid: stored.objectid };
    const second = await site.ask(
      program('cat data/deep/out.txt; echo more >> data/deep/out.txt'),
      kept,
      { mode: 'rw' },
    );
    expect(storageOf(second)).toMatchObject({
      type: `${STORAGE}/directory`,
      objectid: stored.objectid,
      lifecycle: 'managed',
      size: '1Gb',
    });
    expect(await fetchResult((await site.service.follow(second)).job, 'stdout')).toBe('hello\n');
    const third = await site.service.follow(
      await site.ask(program('cat data/deep/out.txt; echo no > data/new'), kept, { mode: 'r' }),
    );
    expect(await fetchResult(third.job, 'stdout')).toBe('hello\nmore\n');
    expect(await readdir(join(site.service.folder, 'archive', stored.objectid))).toEqual(['deep']);

    // The storage of the offer is the same object.
    const printed = await site.ask(program('cat data/deep/out.txt'), stored, { mode: 'r' });
    expect(storageOf(printed)).toMatchObject({ objectid: stored.objectid, size: '1Gb' });
    expect(await fetchResult((await site.service.follow(printed)).job, 'stdout')).toBe(
      'hello\nmore\n',
    );
    expect(
      reasonsOf(await site.ask(program('true'), { ...stored, size: '2Gb' }, {})),
    ).toContainEqual(
      expect.objectContaining({
        code: 'storage-value-invalid',
        path: 'resources.storage[0].size',
        asked: '2Gb',
        limit: '1Gb',
      }),
    );

    await expireAll();
    await until(
      async () => !(await readdir(join(site.service.folder, 'archive'))).includes(stored.objectid),
      'the object is removed',
    );
    await until(
      async () =>
        (
          await site.service.db.database.storageReservation.findFirst({
            where: { objectId: stored.objectid },
          })
        )?.state === 'RELEASED',
      'its space is free',
    );
    expect(reasonsOf(await site.ask(program('true'), kept, {}))).toEqual([
      {
        code: 'unknown-object',
        path: 'resources.storage[0].objectid',
        asked: stored.objectid,
        text: expect.any(String),
      },
      expect.objectContaining({
        code: 'task-type-not-here',
        destinations: expect.arrayContaining(['notebooks']),
      }),
    ]);
  });

  test('the example of docs/guides/storage.md is answered as the page shows, and runs', async () => {
    const page = await readFile(new URL('../../docs/guides/storage.md', import.meta.url), 'utf8');
    const block = (word: string): string =>
      new RegExp(`\`\`\`yaml ${word}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
    const answer = await sendAsk(site.service.url, block('storage-ask'));
    const { objectid, ...shown } = Object(load(block('storage-offer')));
    expect(storageOf(answer)).toEqual({
      ...shown,
      objectid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(typeof objectid).toBe('string');
    expect((await site.service.follow(answer)).last).toBe('COMPLETED');
    expect(await readdir(join(site.service.folder, 'archive', storageOf(answer).objectid))).toEqual(
      ['when.txt'],
    );
  });

  test('a notebook destination writes a persistent volume to a bucket and reads it back', async () => {
    const python = (source: string): object => ({
      type: `${TYPE}/task-type/python-program`,
      spec: { source },
    });
    const first = await site.ask(python('open("/keep/x.txt", "w").write("42")'), persistent, {
      path: '/keep',
    });
    const stored = storageOf(first);
    expect(stored).toMatchObject({
      type: `${STORAGE}/amazon-S3`,
      endpoint: `${site.s3.account.endpoint}/data`,
    });
    expect((await site.service.follow(first)).last).toBe('COMPLETED');
    const second = await site.service.follow(
      await site.ask(
        python('print(open("/keep/x.txt").read())'),
        { type: `${STORAGE}/persistent`, objectid: stored.objectid },
        { path: '/keep', mode: 'r' },
      ),
    );
    expect(await fetchResult(second.job, 'stdout')).toBe('42\n');
  });

  test('a volume that exceeds its offered size fails its job, and what was stored before stays', async () => {
    const small = { ...persistent, size: '1MiB' };
    const done = await site.service.follow(
      await site.ask(program('head -c 2000000 /dev/zero > data/big'), small, {}),
    );
    expect(done.last).toBe('ERROR');
    expect(await fetchPart(done.job, 'error')).toContain('storage-full');
  });

  test('a job that is cancelled before it begins keeps no space', async () => {
    const offer = firstOffer(await site.ask(program('true'), persistent, {}));
    await fetch(offer.href, {
      method: 'POST',
      body: 'status: ACCEPTED\nstart: client',
      headers: { 'Content-Type': 'application/yaml' },
    });
    await fetch(offer.href, {
      method: 'POST',
      body: 'status: CANCELLED',
      headers: { 'Content-Type': 'application/yaml' },
    });
    const kept = () =>
      site.service.db.database.storageReservation.findFirst({ where: { offerId: offer.ident } });
    await until(async () => (await kept())?.state !== 'FIRM', 'its space is free');
    expect((await kept())?.state).toBe('RELEASED');
  });
});
