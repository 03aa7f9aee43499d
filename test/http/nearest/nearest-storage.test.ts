import { beforeEach, describe, expect, test } from '@jest/globals';
import { dump } from 'js-yaml';
import { offersOf, reasonsOf, type Reply } from '../../harness/client.ts';
import { serveTests } from '../../harness/serve.ts';
import { processDestination } from '../../harness/site.ts';
import { takenNearest, type Nearest } from './nearest-of.ts';

const TYPE = 'https://www.purl.org/ivoa-net';
const HOUR = 3_600_000;
const destination = processDestination({ cores: 8, memory: '16GiB', scratch: '100GiB' });
const SITE = {
  rules: ['rules.yml'],
  defaults: { scratch: '1GiB' },
  offers: { lifetime: 'PT2M', release: 'PT1S', 'start-window': 'PT1S', longest: 'P2D' },
  storage: [
    {
      name: 'large',
      type: 'directory',
      path: '/nowhere/large',
      size: '20GiB',
      'max-lifetime': 'P2D',
    },
    {
      name: 'long',
      type: 'directory',
      path: '/nowhere/long',
      size: '5GiB',
      'max-lifetime': 'P20D',
    },
  ],
  destinations: { here: { ...destination, compute: { kubernetes: { version: '1.29.3' } } } },
};

describe('nearest, where storage is in the way', () => {
  const service = serveTests(SITE, { destinations: { here: { runner: 'process' } } });
  const { send } = service;
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask, storage_reservation CASCADE`;
  });

  const ask = (document: object): Promise<Reply> => send('/request', { body: dump(document) });
  const item = (name: string, kind: 'ephemeral' | 'persistent', more: object): object => ({
    name,
    type: `${TYPE}/storage-type/${kind}`,
    ...more,
  });
  const storing = (storage: readonly { readonly name?: string }[], more: object = {}): object => ({
    task: { type: `${TYPE}/task-type/executable`, spec: { command: ['sort'] } },
    resources: {
      compute: [
        { 'min-cores': 1, volumes: storage.map(({ name }) => ({ name, path: name, mode: 'rw' })) },
      ],
      storage,
    },
    ...more,
  });

  const taken = async (document: object): Promise<Nearest['changes']> =>
    (await takenNearest((body) => send('/request', { body }), dump(document))).changes;

  test('is less for each of two volumes, where neither alone can give up the excess', async () => {
    const changes = await taken(
      storing([
        item('a', 'ephemeral', { size: '150Gb' }),
        item('b', 'ephemeral', { size: '150Gb' }),
      ]),
    );
    expect(changes).toMatchObject([
      { path: 'resources.storage[0].size', from: '150Gb', to: '50Gb' },
      { path: 'resources.storage[1].size', to: '50Gb' },
    ]);
  });

  test('is less for the largest volume, where that is enough', async () => {
    expect(
      await taken(
        storing([
          item('a', 'ephemeral', { size: '90Gb' }),
          item('b', 'ephemeral', { size: '30Gb' }),
        ]),
      ),
    ).toMatchObject([{ path: 'resources.storage[0].size', from: '90Gb', to: '70Gb' }]);
  });

  test('is less persistent storage only, where the place to keep it is too small', async () => {
    expect(
      await taken(
        storing([
          item('scratch', 'ephemeral', { size: '60Gb' }),
          item('a', 'persistent', { size: '30Gb', lifetime: 'P1D' }),
        ]),
      ),
    ).toMatchObject([{ path: 'resources.storage[1].size', from: '30Gb', to: '20Gb' }]);
  });

  test('is a shorter lifetime, where no store keeps anything that long', async () => {
    expect(
      await taken(storing([item('a', 'persistent', { size: '1Gb', lifetime: 'P30D' })])),
    ).toMatchObject([{ path: 'resources.storage[0].lifetime', from: 'P30D', to: 'P20D' }]);
  });

  test('is a smaller size or a shorter lifetime, where one store has the room and another the time', async () => {
    expect(
      await taken(storing([item('a', 'persistent', { size: '10Gb', lifetime: 'P10D' })])),
    ).toMatchObject([{ path: 'resources.storage[0].size', from: '10Gb', to: '5Gb' }]);
    expect(
      await taken(storing([item('a', 'persistent', { size: '18Gb', lifetime: 'P3D' })])),
    ).toMatchObject([{ path: 'resources.storage[0].lifetime', from: 'P3D', to: 'P2D' }]);
  });

  describe('an object that an earlier job left', () => {
    let objectid: string;
    beforeEach(async () => {
      const [offer] = offersOf(
        await ask(
          storing([item('a', 'persistent', { size: '1Gb', lifetime: 'P1D' })], {
            time: { duration: 'PT1H' },
          }),
        ),
      );
      const accepted = await send(offer?.href ?? '', { body: 'status: ACCEPTED' });
      ({ objectid } = Object(accepted.document['offer']).request.resources.storage[0]);
    });
    const using = (time: object): object =>
      storing([item('a', 'persistent', { objectid })], { time });

    test('calls for a shorter run, where it expires too early', async () => {
      const [change, ...more] = await taken(using({ duration: 'P2D' }));
      expect(more).toEqual([]);
      expect(change).toMatchObject({
        path: 'time.duration',
        from: 'P2D',
        to: expect.stringMatching(/^P1D/),
      });
    });

    test('calls for an earlier start, where the run ends too late', async () => {
      const start = Date.now() + 20 * HOUR;
      const [change, ...more] = await taken(
        using({ start: new Date(start).toISOString(), duration: 'PT7H' }),
      );
      expect(more).toEqual([]);
      expect(change).toMatchObject({ path: 'time.start' });
      const [earliest = ''] = String(change?.to).split('/');
      expect(Date.parse(earliest)).toBeLessThan(start);
    });
  });

  test('is left out where the task wants another version of the resource: that is no amount', async () => {
    const reply = await ask({
      ...storing([]),
      resources: {
        compute: [{ type: `${TYPE}/compute-type/kubernetes`, kubernetes: { version: '1.31.0' } }],
      },
    });
    expect(reasonsOf(reply)).toMatchObject([
      { code: 'compute-type-mismatch', asked: '1.31.0', limit: '1.29.3' },
    ]);
    expect(Object(reply.document['response'])).not.toHaveProperty('nearest');
  });
});
