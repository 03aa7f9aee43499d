import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openClient, reasonsAt, reasonsOf, type Reply } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { gpusOf, processDestination } from '../../harness/site.ts';

const TYPE = 'https://www.purl.org/ivoa-net';
const AMD = 'urn:example:gpu:amd';
function destination(more: object = {}): object {
  return processDestination({ cores: 8, memory: '16GiB', scratch: '100GiB', ...more });
}
const program = `task: {type: "${TYPE}/task-type/executable", spec: {command: [sort]}}`;
function openAsk(url: string) {
  const send = openClient(url);
  return async (rest = '', task = program): Promise<Reply> => {
    const reply = await send('/request', { body: `${task}\n${rest}` });
    expect(contractFaults('AnswerBody', reply.document)).toEqual([]);
    return reply;
  };
}

describe('the reasons of a NO from a few destinations', () => {
  let service: TestService;
  let ask: ReturnType<typeof openAsk>;
  beforeAll(async () => {
    service = await startTestService(
      {
        rules: ['rules.yml'],
        defaults: { scratch: '20GiB' },
        destinations: {
          notebooks: { ...destination(), runner: 'notebook', 'task-types': ['jupyter-notebook'] },
          programs: destination(gpusOf({ [AMD]: 2 })),
          small: destination({ cores: 2 }),
          cramped: destination({ scratch: '5GiB' }),
          stepped: destination({
            elastic: { memory: { min: '1GiB', max: '15GiB', step: '2GiB' } },
          }),
        },
      },
      {
        tools: { 'executable/uniq': { mem: 7.5005, cores: 3 } },
        destinations: {
          notebooks: { runner: 'notebook' },
          programs: { runner: 'process' },
          small: { runner: 'process' },
          cramped: { runner: 'process' },
          stepped: { runner: 'process', max_accepted_mem: 7.5003 },
        },
      },
    );
    ask = openAsk(service.url);
  });
  afterAll(() => service.close());

  test('are one entry for several destinations, and the smallest lack comes first', async () => {
    const reasons = reasonsOf(
      await ask('resources: {compute: [{min-cores: 4, gpu: {type: "urn:example:gpu:none"}}]}'),
    );
    expect(reasons.map(({ code, destinations }) => [code, destinations])).toEqual([
      ['gpu-type-not-here', ['programs', 'cramped', 'stepped', 'small', 'notebooks']],
      ['above-capacity', ['small']],
      ['task-type-not-here', ['notebooks']],
    ]);
    const [gpu, capacity] = reasons;
    expect(gpu).not.toHaveProperty('destination');
    expect(gpu).toMatchObject({
      text: expect.stringMatching(/^programs, cramped, stepped and 2 others: /),
    });
    expect(capacity).toMatchObject({
      destination: 'small',
      resource: 'cores',
      asked: 4,
      limit: 2,
      text: 'small: The destination has less than that in total. (asked 4 cores, limit 2)',
    });
  });

  test('name each shortage, and say `asked` only of what was asked for', async () => {
    const [scratch] = reasonsAt(await ask('resources: {compute: [{min-cores: 9}]}'), 'cramped');
    expect(scratch).toMatchObject({ resource: 'cores', asked: 9 });
    const reply = await ask(
      'resources: {compute: [{min-cores: 8, gpu: {type: "urn:example:gpu:none"}}]}',
    );
    expect(reasonsOf(reply).filter(({ resource }) => resource === 'scratch')).toEqual([]);
    const alone = await ask(
      'resources: {storage: [{name: s, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 200Gb}]}',
    );
    expect(reasonsAt(alone, 'programs')).toMatchObject([
      {
        path: 'resources.storage',
        resource: 'scratch',
        asked: '200Gb',
        limit: '100Gb',
        text: expect.stringContaining('(asked 200Gb of scratch space, limit 100Gb)'),
      },
    ]);
  });

  test('show what rules, site and flavours add to the needs of a task', async () => {
    const uniq = program.replace('sort', 'uniq');
    // In whole MiB, both are 7680.
    expect(
      reasonsAt(await ask('resources: {compute: [{gpu: {type: "urn:none"}}]}', uniq), 'stepped'),
    ).toContainEqual(
      expect.objectContaining({
        code: 'above-max-accepted',
        resource: 'memory',
        needed: '7681Mb',
        limit: '7.5Gb',
        text: expect.stringContaining('(the task needs 7681Mb of memory here, limit 7.5Gb)'),
      }),
    );
    const sized = reasonsAt(
      await ask('resources: {compute: [{min-cores: 9, min-memory: 2Gb, max-memory: 2Gb}]}'),
      'stepped',
    );
    expect(sized).toContainEqual(
      expect.objectContaining({
        code: 'size-not-offered',
        path: 'resources.compute[0].min-memory',
        needed: '3Gb',
        limit: '2Gb',
      }),
    );
  });

  test('say so when they concern scratch space that nobody asked for', async () => {
    const only = await startTestService(
      {
        rules: ['rules.yml'],
        defaults: { scratch: '20GiB' },
        destinations: { cramped: destination({ scratch: '5GiB' }) },
      },
      { destinations: { cramped: { runner: 'process' } } },
    );
    try {
      expect(reasonsOf(await openAsk(only.url)())).toEqual([
        {
          code: 'above-capacity',
          path: 'resources',
          resource: 'scratch',
          destination: 'cramped',
          destinations: ['cramped'],
          needed: '20Gb',
          limit: '5Gb',
          text:
            'cramped: The destination has less than that in total. (the task needs 20Gb of ' +
            'scratch space here, limit 5Gb)',
        },
      ]);
    } finally {
      await only.close();
    }
  });
});

describe('the answer of a site with 1,000 destinations', () => {
  const ids = Array.from(
    { length: 1000 },
    (_, index) => `destination-${index}.cluster.example.org`,
  );
  let service: TestService;
  let ask: ReturnType<typeof openAsk>;
  beforeAll(async () => {
    service = await startTestService(
      {
        rules: ['rules.yml'],
        destinations: Object.fromEntries(
          ids.map((id, index) => [id, destination({ cores: 8 + index, memory: '8000GiB' })]),
        ),
      },
      {
        destinations: Object.fromEntries(
          ids.map((id, index) => [
            id,
            {
              runner: 'process',
              max_accepted_mem: 4,
              scheduling: index % 2 === 0 ? { require: [`tag-${index}`] } : {},
            },
          ]),
        ),
      },
    );
    ask = openAsk(service.url);
  });
  afterAll(() => service.close());

  test('is at most 20 kB, whatever the destinations say, and its explanation names all', async () => {
    const alike = await ask('resources: {compute: [{min-memory: 5Gb}]}');
    expect(alike.text.length).toBeLessThan(20_000);
    const [memory] = reasonsOf(alike);
    expect(memory).toMatchObject({ code: 'above-max-accepted', 'more-destinations': 990 });
    const various = await ask('resources: {compute: [{min-cores: 5000, min-memory: 5Gb}]}');
    expect(various.text.length).toBeLessThan(20_000);
    const more = Number(Object(various.document['response'])['more-reasons']);
    expect(more).toBeGreaterThan(900);
    // However many there are of one kind, the others are among them.
    expect(new Set(reasonsOf(various).map(({ code }) => code))).toEqual(
      new Set(['above-max-accepted', 'above-capacity', 'required-tag-missing']),
    );
    const explained = Object(
      (await openClient(service.url)(Object(various.document['response']).explain)).document[
        'explanation'
      ],
    );
    expect(explained.reasons.length).toBe(reasonsOf(various).length + more);
    const named = new Set(
      explained.reasons.flatMap(
        ({ destinations }: { destinations: readonly string[] }) => destinations,
      ),
    );
    expect(named).toEqual(new Set(ids));
  });

  test('is the same again under its key, and a refused job has it too', async () => {
    const send = openClient(service.url);
    const body = `${program}\nresources: {compute: [{min-cores: 5000}]}`;
    const twice = [
      await send('/request', { body, headers: { 'Idempotency-Key': 'k' } }),
      await send('/request', { body, headers: { 'Idempotency-Key': 'k' } }),
    ];
    expect(twice[1]?.document).toEqual(twice[0]?.document);
    const job = await send('/jobs', { body });
    expect([job.status, job.text.length < 20_000]).toEqual([403, true]);
  });
});
