import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { emptyBookBeforeEach, serveTests } from '../../harness/serve.ts';
import { tokenOf } from '../../harness/site.ts';

const SITE = {
  rules: ['rules.yml'],
  identity: { tokens: ['ada', 'bob'].map((name) => tokenOf(`${name}-token`)) },
  quotas: [{ for: 'user', name: 'bob@example.org', holds: 1, cores: 6 }],
  destinations: {
    a: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 8,
      memory: '16GiB',
      scratch: '100GiB',
    },
  },
};
const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}';

describe('a dry run', () => {
  const service = serveTests(SITE, { destinations: { a: { runner: 'process' } } });
  emptyBookBeforeEach(service);
  const { send } = service;

  const ask = async (
    more = '',
    { token = 'ada-token', query = '?dry-run=true' } = {},
  ): Promise<Reply> => {
    const reply = await send(`/request${query}`, { token, body: `${ASK}\n${more}` });
    expect(contractFaults('AnswerBody', reply.document)).toEqual([]);
    return reply;
  };
  const book = async (): Promise<readonly number[]> =>
    Promise.all([
      service.db.database.ask.count(),
      service.db.database.offer.count(),
      service.db.database.reservation.count(),
      service.db.database.trace.count(),
    ]);
  const shape = (reply: Reply): readonly object[] =>
    offersOf(reply).map(({ request, ...rest }) => ({
      request,
      destination: Object(rest)['destination'],
    }));

  test('has the offers that an ask would have, without the names that would let one accept them', async () => {
    const before = await book();
    const dry = await ask('resources: {compute: [{min-cores: 2, max-cores: 8}]}');
    expect(await book()).toEqual(before);
    expect(dry.document).toMatchObject({
      response: {
        result: 'YES',
        'dry-run': true,
        offers: [
          { status: 'PROPOSED', identity: { user: 'ada@example.org' } },
          { status: 'PROPOSED' },
        ],
      },
    });
    for (const key of ['ident', 'href', 'connection', 'expires'])
      expect(offersOf(dry).some((offer) => Object.hasOwn(offer, key))).toBe(false);
    expect(
      shape(await ask('resources: {compute: [{min-cores: 2, max-cores: 8}]}', { query: '' })),
    ).toEqual(shape(dry));
  });

  test('holds nothing, however often it is repeated', async () => {
    for (let n = 0; n < 5; n += 1)
      expect(offersOf(await ask('resources: {compute: [{min-cores: 8}]}'))).not.toEqual([]);
    expect(
      offersOf(await ask('resources: {compute: [{min-cores: 8}]}', { query: '' })),
    ).not.toEqual([]);
    expect(reasonsOf(await ask('resources: {compute: [{min-cores: 8}]}'))).toMatchObject([
      { code: 'no-capacity-now' },
    ]);
  });

  test('that is a NO has the same reasons and the same nearest as the ask', async () => {
    const more = 'resources: {compute: [{min-cores: 9}]}';
    const [dry, real] = [await ask(more), await ask(more, { query: '' })];
    expect(dry.document).toMatchObject({ response: { result: 'NO', 'dry-run': true } });
    const { reasons, nearest } = Object(real.document['response']);
    expect([
      Object(dry.document['response']).reasons,
      Object(dry.document['response']).nearest,
    ]).toEqual([reasons, nearest]);
    expect(reasonsOf(await ask('resources: {compute: [{min-coars: 9}]}'))).toMatchObject([
      { code: 'unknown-key' },
    ]);
  });

  test('is judged by the quotas of the client, and uses nothing of them', async () => {
    const bob = { token: 'bob-token' };
    expect(reasonsOf(await ask('resources: {compute: [{min-cores: 7}]}', bob))).toMatchObject([
      { code: 'quota-exceeded', limit: 6 },
    ]);
    for (let n = 0; n < 3; n += 1)
      expect(offersOf(await ask('resources: {compute: [{min-cores: 6}]}', bob))).not.toEqual([]);
    const [offer] = offersOf(
      await ask('resources: {compute: [{min-cores: 6}]}', { ...bob, query: '' }),
    );
    expect(offer).toBeDefined();
    expect(reasonsOf(await ask('', bob))).toMatchObject([
      { code: 'quota-exceeded' },
      { code: 'quota-exceeded' },
    ]);
  });

  test('is a real ask unless the value is `true`; anything but true and false is 400', async () => {
    expect(offersOf(await ask('', { query: '?dry-run=false' }))[0]).toMatchObject({
      status: 'OFFERED',
    });
    expect(await send('/request?dry-run=yes', { token: 'ada-token', body: ASK })).toMatchObject({
      status: 400,
      document: { code: 'parameter-invalid' },
    });
    expect(await send('/request?dryrun=true', { token: 'ada-token', body: ASK })).toMatchObject({
      status: 400,
    });
  });
});
