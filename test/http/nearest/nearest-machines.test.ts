import { describe, expect, test } from '@jest/globals';
import { reasonsOf } from '../../harness/client.ts';
import { AMD, command, NVIDIA, openNearestBench } from './nearest-bench.ts';

describe('nearest, the smallest change that turns a NO into YES, for several machines', () => {
  const bench = openNearestBench();
  const { ask, taken } = bench;

  test('leaves out an item whose type of GPU is nowhere, and the reasons name it', async () => {
    const gpus = (type: string): string =>
      `resources: {compute: [{min-cores: 1}, {min-cores: 1, replicas: 3, gpu: {type: "${type}"}}]}`;
    expect(reasonsOf(await ask(`${command('sort')}\n${gpus(NVIDIA)}`))).toContainEqual(
      expect.objectContaining({ code: 'gpu-type-not-here', path: 'resources.compute[1].gpu.type' }),
    );
    expect(reasonsOf(await ask(`${command('sort')}\n${gpus(AMD)}`))).toContainEqual(
      expect.objectContaining({
        code: 'above-capacity',
        path: 'resources.compute',
        asked: 3,
        limit: 2,
      }),
    );
  });

  test('of machines that find no room together is one of them, without the volumes of the others', async () => {
    const volume = (name: string): string => `volumes: [{name: ${name}, path: scratch, mode: rw}]`;
    const storage = (name: string): string =>
      `{name: ${name}, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 5Gb}`;
    const { changes, ask: next } = await taken(`${command('tsort')}
resources:
  compute:
  - {min-cores: 1, min-memory: 5Gb, ${volume('a')}}
  - {min-cores: 1, min-memory: 4Gb, replicas: 2, ${volume('b')}}
  storage: [${storage('a')}, ${storage('b')}]`);
    expect(changes.map(({ path, to }) => [path, to])).toEqual([
      ['resources.compute[1]', undefined],
      ['resources.storage[1]', undefined],
    ]);
    expect(next).toMatchObject({
      resources: { compute: [{ 'min-memory': '5Gb' }], storage: [{ name: 'a' }] },
    });
  });

  test('is fewer machines above the maximum, or smaller volumes where they exceed the room', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{replicas: 103, min-cores: 0.05, min-memory: 0.05Gb}]}`,
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].replicas', from: 103, to: 100 }] });
    await bench.db.database.$executeRaw`TRUNCATE ask CASCADE`;
    const storage =
      'storage: [{name: s, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 30Gb}]';
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{replicas: 4, min-cores: 1, min-memory: ` +
          `1Gb, volumes: [{name: s, path: s}]}], ${storage}}`,
      ),
    ).toMatchObject({ changes: [{ path: 'resources.storage[0].size', from: '30Gb', to: '25Gb' }] });
  });

  test('is less for each of several machines, where there is too little for all', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{replicas: 3, min-cores: 4, min-memory: 1Gb}]}`,
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].min-cores', from: 4, to: 2.666 }] });
  });

  test('is a minimum for machines that name none, and count with two cores each', async () => {
    const { changes } = await taken(
      `${command('sort')}\nresources: {compute: [{name: head}, {name: workers, replicas: 4}]}`,
    );
    expect(changes).toMatchObject([{ path: 'resources.compute[1].min-cores', to: 1.5 }]);
    expect(changes[0]).not.toHaveProperty('from');
  });

  test('is another size for the machines of one item, where no flavour fits it', async () => {
    expect(
      await taken(
        `${command('uniq')}\nresources: {compute: [{name: head, min-cores: 1, min-memory: ` +
          '1Gb}, {name: workers, min-cores: 1, max-cores: 1, min-memory: 1Gb}]}',
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[1].max-cores', from: 1, to: 2 }] });
  });

  test('is one machine, where the task runs on one: without replicas, or one of several items', async () => {
    const chart =
      'task: {type: "https://www.purl.org/ivoa-net/task-type/helm-chart", spec: {chart: ' +
      '"https://charts.example.org/sum-1.0.0.tgz"}}';
    expect(
      await taken(`${chart}\nresources: {compute: [{replicas: 3, min-cores: 4, min-memory: 1Gb}]}`),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].replicas', from: 3, to: 1 }] });
    const { changes, ask: next } = await taken(
      `${chart}\nresources: {compute: [{name: head, min-cores: 1}, {name: workers, replicas: 2, min-cores: 4}]}`,
    );
    expect(changes).toMatchObject([
      { path: 'resources.compute[1]', from: { name: 'workers', replicas: 2 } },
    ]);
    expect(changes[0]).not.toHaveProperty('to');
    expect(next).toMatchObject({ resources: { compute: [{ name: 'head' }] } });
  });

  test('names the items by their places in the ask, also where others are left out', async () => {
    const chart =
      'task: {type: "https://www.purl.org/ivoa-net/task-type/helm-chart", spec: {chart: ' +
      '"https://charts.example.org/sum-1.0.0.tgz"}}';
    const { changes, ask: next } = await taken(
      `${chart}\nresources: {compute: [{name: a, min-cores: 30, min-memory: 1Gb}, {name: b, ` +
        'min-cores: 20, min-memory: 1Gb}]}',
    );
    expect(changes).toMatchObject([
      { path: 'resources.compute[1].min-cores', from: 20, to: 8 },
      { path: 'resources.compute[0]', from: { name: 'a' } },
    ]);
    expect(Object(next).resources.compute).toEqual([
      { name: 'b', 'min-cores': 8, 'min-memory': '1Gb' },
    ]);
  });
});
