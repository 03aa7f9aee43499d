import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf } from '../../harness/client.ts';
import { AMD, command, DAY_MS, iso, NEXT_WEEK, NVIDIA, openNearestBench } from './nearest-bench.ts';
import { nearestTo } from './nearest-of.ts';

describe('nearest, the smallest change that turns a NO into YES', () => {
  const bench = openNearestBench();
  const { ask, counts, taken } = bench;

  test('is fewer cores, where the destinations have fewer', async () => {
    expect(
      await taken(`${command('sort')}\nresources: {compute: [{min-cores: 20, min-memory: 1Gb}]}`),
    ).toMatchObject({
      destination: 'big',
      changes: [
        {
          path: 'resources.compute[0].min-cores',
          from: 20,
          to: 8,
          text: 'resources.compute[0].min-cores: 8 instead of 20',
        },
      ],
    });
  });

  test('is less memory, where the rules accept no more', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{min-cores: 2, min-memory: 14Gb, name: it}]}`,
      ),
    ).toMatchObject({
      destination: 'big',
      changes: [{ path: 'resources.compute[0].min-memory', from: '14Gb', to: '12Gb' }],
      ask: { resources: { compute: [{ name: 'it', 'min-cores': 2 }] } },
    });
  });

  test('is several changes together, where several things are in the way', async () => {
    const { changes } = await taken(
      `${command('sort')}\nresources: {compute: [{min-cores: 20, min-memory: 30Gb, gpu: {type: "${AMD}", count: 4}}]}`,
    );
    expect(changes.map(({ path, to }) => [path, to])).toEqual(
      [
        ['resources.compute[0].min-memory', '12Gb'],
        ['resources.compute[0].gpu.count', 2],
        ['resources.compute[0].min-cores', 8],
      ].toSorted(
        (a, b) =>
          changes.findIndex(({ path }) => path === a[0]) -
          changes.findIndex(({ path }) => path === b[0]),
      ),
    );
  });

  test('is another type of GPU, where there is one', async () => {
    expect(
      await taken(`${command('sort')}\nresources: {compute: [{gpu: {type: "${NVIDIA}"}}]}`),
    ).toMatchObject({
      changes: [{ path: 'resources.compute[0].gpu.type', from: NVIDIA, to: AMD }],
    });
  });

  test('is fewer GPUs of the same type', async () => {
    expect(
      await taken(`${command('sort')}\nresources: {compute: [{gpu: {type: "${AMD}", count: 3}}]}`),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].gpu.count', from: 3, to: 2 }] });
  });

  test('is a larger maximum, where the smallest flavour exceeds it', async () => {
    expect(
      await taken(`${command('uniq')}\nresources: {compute: [{max-cores: 1, min-memory: 2Gb}]}`),
    ).toMatchObject({
      destination: 'fixed',
      changes: [{ path: 'resources.compute[0].max-cores', from: 1, to: 2 }],
    });
  });

  test('is a later start of the same length, where everything is taken now', async () => {
    const body = `${command('sort')}\nresources: {compute: [{min-cores: 8, min-memory: 1Gb}]}\ntime: {duration: PT30M}`;
    const [offer] = offersOf(await ask(body));
    await bench.send(offer?.href ?? '', { token: 'ada-token', body: 'status: ACCEPTED' });
    const { changes, ask: next } = await taken(body, 'bob-token');
    expect(changes.map(({ path }) => path)).toEqual(['time.start']);
    expect(next).toMatchObject({ time: { duration: 'PT30M' } });
    expect(Date.parse(String(changes[0]?.to).split('/')[0] ?? '')).toBeGreaterThan(
      Date.now() + 25 * 60_000,
    );
  });

  test('is fewer cores, where some are free now and the rest much later', async () => {
    const [offer] = offersOf(
      await ask(
        `${command('sort')}\nresources: {compute: [{min-cores: 2, max-cores: 2, min-memory: ` +
          '1Gb}]}\ntime: {duration: P1D}',
      ),
    );
    await bench.send(offer?.href ?? '', { token: 'ada-token', body: 'status: ACCEPTED' });
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{min-cores: 8, min-memory: 1Gb}]}\ntime: {duration: PT1H}`,
        'bob-token',
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].min-cores', from: 8, to: 6 }] });
  });

  test('is a shorter run before maintenance, or a start after it, whichever is less', async () => {
    const at = (hours: number): string => iso(NEXT_WEEK + hours * 3_600_000);
    const short = await taken(
      `${command('comm')}\nresources: {compute: [{min-cores: 1}]}\ntime: {start: "${at(-2)}", duration: PT3H}`,
    );
    expect(short.changes.map(({ path }) => path)).toEqual(['time.duration']);
    const late = await taken(
      `${command('comm')}\nresources: {compute: [{min-cores: 1}]}\ntime: [{start: "${at(5.5)}", duration: PT6H}]`,
    );
    expect(late.changes).toMatchObject([{ path: 'time[0].start', from: at(5.5) }]);
  });

  test('is another time, for one that is past or beyond the horizon', async () => {
    expect(await taken(`${command('sort')}\ntime: "2020-01-01T00:00Z/PT1H"`)).toMatchObject({
      changes: [{ path: 'time.start' }],
    });
    expect(
      await taken(`${command('sort')}\ntime: {start: "${iso(Date.now() + 300 * DAY_MS)}"}`),
    ).toMatchObject({ changes: [{ path: 'time.start' }] });
    for (const end of ['9999-12-31T23:59Z', 'P999999999W'])
      expect(await taken(`${command('sort')}\ntime: "9000-01-01T00:00Z/${end}"`)).toMatchObject({
        changes: [{ path: 'time.start' }],
      });
  });

  test('is a shorter run, for one that is longer than any offer', async () => {
    expect(await taken(`${command('sort')}\ntime: {min-duration: P9D}`)).toMatchObject({
      changes: [{ path: 'time.duration', from: 'P9D', to: 'P2D' }],
    });
  });

  test('is found by trying, where a rule hides its limit', async () => {
    const { changes } = await taken(
      `${command('tsort')}\nresources: {compute: [{min-cores: 1, min-memory: 10Gb}]}`,
    );
    expect(changes).toMatchObject([{ path: 'resources.compute[0].min-memory', to: '5Gb' }]);
  });

  test('is what a quota leaves', async () => {
    const body = `${command('sort')}\nresources: {compute: [{min-cores: 4, min-memory: 1Gb}]}`;
    expect(reasonsOf(await ask(body, 'cyd-token'))).toContainEqual(
      expect.objectContaining({ code: 'quota-exceeded', limit: 3 }),
    );
    expect(await taken(body, 'cyd-token')).toMatchObject({
      changes: [{ path: 'resources.compute[0].min-cores', from: 4, to: 3 }],
    });
  });

  test('is less memory, where a quota of memory leaves less', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{min-cores: 1, min-memory: 6Gb}]}`,
        'eve-token',
      ),
    ).toMatchObject({
      changes: [{ path: 'resources.compute[0].min-memory', from: '6Gb', to: '4Gb' }],
    });
  });

  test('is a shorter run, where a quota of GPU hours leaves less', async () => {
    const gpus = `resources: {compute: [{min-cores: 1, gpu: {type: "${AMD}", count: 2}}]}`;
    const shorter = await taken(`${command('sort')}\n${gpus}\ntime: {duration: PT2H}`, 'dan-token');
    expect(shorter.changes.map(({ path }) => path)).toEqual(['time.duration']);
    // As long as the quota leaves: an hour and a half for each of two, but for
    // what is reserved beside the run.
    expect(String(shorter.changes[0]?.to)).toMatch(/^PT1H2\dM/);
  });

  test('is a smaller volume, where the scratch space is too small', async () => {
    const body = `${command('sort')}
resources:
  compute: [{min-cores: 1, volumes: [{name: s, path: scratch}]}]
  storage: [{name: s, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 500Gb}]`;
    expect(await taken(body)).toMatchObject({
      changes: [{ path: 'resources.storage[0].size', from: '500Gb', to: '100Gb' }],
    });
  });

  test('is left out where no change would help, for malformed asks, and on request', async () => {
    for (const reply of [
      await ask(command('nothing').replace('executable', 'jupyter-notebook')),
      await ask(`${command('sort')}\nresources: {compute: [{min-coars: 1}]}`),
      await ask(
        `${command('sort')}\nresources: {compute: [{min-cores: 20}]}`,
        'ada-token',
        '/request?nearest=false',
      ),
    ]) {
      expect(reasonsOf(reply)).not.toEqual([]);
      expect(nearestTo(reply)).toBeUndefined();
    }
  });

  test('is there for each of a crowd of NOs', async () => {
    const body =
      `${command('sort')}\nresources: {compute: [{min-cores: 20, min-memory: 30Gb, gpu: ` +
      `{type: "${AMD}", count: 4}}]}`;
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => ask(body, 'ada-token', '/request?dry-run=true')),
    );
    expect(
      replies.filter((reply) => nearestTo(reply) === undefined).map(({ text }) => text),
    ).toEqual([]);
  });

  test('holds nothing, and is the same when the request is sent again with its key', async () => {
    const body = `${command('sort')}\nresources: {compute: [{min-cores: 20}]}`;
    const keyed = () =>
      bench.send('/request', { token: 'ada-token', body, headers: { 'Idempotency-Key': 'k' } });
    const first = await keyed();
    expect(await counts()).toEqual([0, 0]);
    expect(nearestTo(first)).toBeDefined();
    expect((await keyed()).document).toEqual(first.document);
  });
});
