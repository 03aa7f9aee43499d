import { beforeEach, describe, expect, test } from '@jest/globals';
import { createPurge } from '../../../src/sweeper/purge.ts';
import { offersOf, reasonsOf } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { serveTests } from '../../harness/serve.ts';
import { tokenOf } from '../../harness/site.ts';

const SITE = {
  rules: ['rules.yml'],
  identity: { tokens: ['ada', 'bob'].map((name) => tokenOf(`${name}-token`)) },
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 64,
      memory: '64GiB',
      scratch: '6400GiB',
    },
  },
};
const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort, "-n"]}}';
const OTHER = ASK.replace('sort', 'uniq');

describe('a request with an Idempotency-Key', () => {
  const service = serveTests(SITE, { destinations: { a: { runner: 'process' } } });
  const { send } = service;
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask, idempotency CASCADE`;
  });
  const keyed = (key: string, body = ASK, token = 'ada-token', path = '/request') =>
    send(path, { token, body, headers: { 'Idempotency-Key': key } });
  const counts = async () => ({
    asks: await service.db.database.ask.count(),
    held: await service.db.database.reservation.count({ where: { state: 'HELD' } }),
  });

  test('is decided once: a repetition has the same offers and holds nothing more', async () => {
    const first = await keyed('k1');
    const again = await keyed('k1');
    expect(again.status).toBe(200);
    expect(contractFaults('AnswerBody', again.document)).toEqual([]);
    expect(offersOf(again).map(({ ident }) => ident)).toEqual(
      offersOf(first).map(({ ident }) => ident),
    );
    expect(offersOf(again).map(({ request }) => request)).toEqual(
      offersOf(first).map(({ request }) => request),
    );
    expect(await counts()).toEqual({ asks: 1, held: 1 });
  });

  test('shows the offers as they are now', async () => {
    const [offer] = offersOf(await keyed('k1'));
    await send(offer?.href ?? '', { token: 'ada-token', body: 'status: ACCEPTED' });
    expect(offersOf(await keyed('k1')).map(({ status }) => status)).toContain('ACCEPTED');
  });

  test('that was answered NO is NO again, for the same reasons', async () => {
    const impossible = `${ASK}\nresources: {compute: [{min-cores: 500}]}`;
    const first = await keyed('no', impossible);
    expect(reasonsOf(first).length).toBeGreaterThan(0);
    expect((await keyed('no', impossible)).document).toEqual(first.document);
    const unreadable = `${ASK}\nresources: {compute: [{min-coars: 5}]}`;
    expect((await keyed('no2', unreadable)).document).toEqual(
      (await keyed('no2', unreadable)).document,
    );
    expect((await counts()).asks).toBe(2);
  });

  test('is decided once though it comes 32 times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => keyed('storm')));
    expect(
      new Set(
        answers.map(
          (answer) =>
            `${answer.status} ${offersOf(answer)
              .map(({ ident }) => ident)
              .join(' ')}`,
        ),
      ).size,
    ).toBe(1);
    expect(await counts()).toEqual({ asks: 1, held: 1 });
  });

  test('is 422 with another body, or for another resource, and changes nothing', async () => {
    const [offer] = offersOf(await keyed('k1'));
    for (const reply of [
      await keyed('k1', OTHER),
      await keyed('k1', 'status: ACCEPTED', 'ada-token', offer?.href),
    ]) {
      expect(reply).toMatchObject({ status: 422, document: { code: 'idempotency-mismatch' } });
      expect(contractFaults('Problem', reply.document)).toEqual([]);
    }
    expect(await counts()).toEqual({ asks: 1, held: 1 });
    expect((await send(offer?.href ?? '', { token: 'ada-token' })).document).toMatchObject({
      offer: { status: 'OFFERED' },
    });
  });

  test('that comes with two bodies at once is decided for one of them; the other is 422', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => keyed('two', n % 2 === 0 ? ASK : OTHER)),
    );
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(10);
    expect(await counts()).toEqual({ asks: 1, held: 1 });
  });

  test('is another request when somebody else uses the same key', async () => {
    const [adas, bobs] = [
      offersOf(await keyed('shared')),
      offersOf(await keyed('shared', ASK, 'bob-token')),
    ];
    expect(adas[0]?.ident).not.toBe(bobs[0]?.ident);
    expect((await counts()).asks).toBe(2);
  });

  test('may have its key as a structured string; it is the same key', async () => {
    await keyed('"k1"');
    await keyed('k1');
    expect((await counts()).asks).toBe(1);
  });

  test.each(['""', 'a"b', 'x'.repeat(256), '"open'])(
    'with a malformed key (%s) is 400',
    async (key) => {
      expect(await keyed(key)).toMatchObject({
        status: 400,
        document: { code: 'parameter-invalid', errors: [{ path: 'Idempotency-Key' }] },
      });
      expect((await counts()).asks).toBe(0);
    },
  );

  test('is a new request after 24 hours, and the sweeper forgets the key', async () => {
    const first = offersOf(await keyed('old'));
    await service.db.database
      .$executeRaw`UPDATE idempotency SET created_at = created_at - interval '24 hours'`;
    expect(offersOf(await keyed('old'))[0]?.ident).not.toBe(first[0]?.ident);
    await service.db.database
      .$executeRaw`UPDATE idempotency SET created_at = created_at - interval '24 hours'`;
    await createPurge(service.db.database, () => performance.now()).run();
    expect(await service.db.database.$queryRaw`SELECT * FROM idempotency`).toEqual([]);
  });

  test('accepts once: a repetition is the same job, another body is 422', async () => {
    const [offer] = offersOf(await send('/request', { token: 'ada-token', body: ASK }));
    const href = offer?.href ?? '';
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => keyed('accept', 'status: ACCEPTED', 'ada-token', href)),
    );
    expect(
      new Set(
        replies.map(({ status, document }) => `${status} ${Object(document['offer']).status}`),
      ),
    ).toEqual(new Set(['200 ACCEPTED']));
    expect(
      await keyed('accept', 'offer: {status: ACCEPTED, start: client}', 'ada-token', href),
    ).toMatchObject({ status: 422 });
    expect(await service.db.database.job.count()).toBe(1);
  });

  test.each([
    ['an accept', 'REJECTED', 'ACCEPTED'],
    ['an accept', 'CANCELLED', 'ACCEPTED'],
    ['a rejection', 'ACCEPTED', 'REJECTED'],
    ['a cancellation', 'ACCEPTED', 'CANCELLED'],
  ])('of %s is 422 for status %s, which changes nothing', async (_, other, first) => {
    const [offer] = offersOf(await send('/request', { token: 'ada-token', body: ASK }));
    const href = offer?.href ?? '';
    if (first === 'CANCELLED') await keyed('before', 'status: ACCEPTED', 'ada-token', href);
    for (const body of [`status: ${first}`, `status: ${first}`])
      expect(await keyed('update', body, 'ada-token', href)).toMatchObject({
        status: 200,
        document: { offer: { status: first } },
      });
    expect(await keyed('update', `status: ${other}`, 'ada-token', href)).toMatchObject({
      status: 422,
      document: { code: 'idempotency-mismatch' },
    });
    expect((await send(href, { token: 'ada-token' })).document).toMatchObject({
      offer: { status: first },
    });
  });

  test('is remembered when it is an update that was refused', async () => {
    const [offer] = offersOf(await send('/request', { token: 'ada-token', body: ASK }));
    const href = offer?.href ?? '';
    for (const status of [409, 409])
      expect(await keyed('update', 'status: CANCELLED', 'ada-token', href)).toMatchObject({
        status,
      });
    expect(await keyed('update', 'status: REJECTED', 'ada-token', href)).toMatchObject({
      status: 422,
    });
    expect(await keyed('another', 'status: REJECTED', 'ada-token', href)).toMatchObject({
      status: 200,
    });
  });

  test('makes a new decision each time without the key', async () => {
    await send('/request', { token: 'ada-token', body: ASK });
    await send('/request', { token: 'ada-token', body: ASK });
    expect((await counts()).asks).toBe(2);
  });
});
