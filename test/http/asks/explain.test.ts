import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { emptyBookBeforeEach, serveTests } from '../../harness/serve.ts';
import { processDestination, tokenOf } from '../../harness/site.ts';

const destination = processDestination({ cores: 8, memory: '16GiB', scratch: '100GiB' });
const SITE = {
  rules: ['rules.yml'],
  identity: {
    administrators: ['operators'],
    tokens: [
      ...['ada', 'bob'].map((name) => tokenOf(`${name}-token`)),
      tokenOf('root-token', { roles: ['operators'] }),
    ],
  },
  quotas: [{ for: 'user', name: 'bob@example.org', 'asks-per-minute': 40, holds: 3 }],
  destinations: { a: destination, b: { ...destination, cores: 2 } },
};
const RULES = {
  tools: {
    'executable/sort': {
      rules: [
        {
          id: 'friends',
          if: "user and user.email in ['ada@example.org', 'eve@example.org']",
          scheduling: { prefer: ['fast'] },
        },
        {
          id: 'crowd',
          if: 'helpers.concurrent_job_count_for_tool(app, tool) >= 20',
          fail: 'too many',
        },
      ],
    },
  },
  destinations: {
    a: { runner: 'process', max_accepted_cores: 4, scheduling: { accept: ['fast'] } },
    b: { runner: 'process' },
  },
};
const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}';

describe('an explanation', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { send } = service;

  const ask = (body: string, token = 'ada-token'): Promise<Reply> =>
    send('/request', { token, body });
  const responseOf = ({ document }: Reply): { readonly ident: string; readonly explain: string } =>
    Object(document['response']);
  const explain = async (
    path: string,
    token = 'ada-token',
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const reply = await send(path, { token, headers });
    if (reply.status === 200 && headers['Accept'] === undefined)
      expect(contractFaults('ExplanationBody', reply.document)).toEqual([]);
    return reply;
  };

  test('of an offer shows what the rules got, every step, every destination, and what was free', async () => {
    const answer = await ask(`${ASK}\nresources: {compute: [{min-cores: 3}]}`);
    const [offer] = offersOf(answer);
    const { document } = await explain(`/offers/${offer?.ident}/explain`);
    expect(document).toMatchObject({
      explanation: {
        ident: responseOf(answer).ident,
        result: 'YES',
        identity: { user: 'ada@example.org' },
        rules: { replay: 'same' },
        inputs: {
          job: {
            tool: { id: 'executable/sort', requirements: [{ type: 'cores_min', value: 3 }] },
            user: { email: 'ada@example.org' },
          },
        },
        candidates: [
          { destination: 'a', verdict: 'matched', rank: 1, reasons: [] },
          { destination: 'b', verdict: 'matched', rank: 2 },
        ],
        offers: offersOf(answer).map(({ ident }) => ({ ident, status: 'OFFERED' })),
        reasons: [{ code: 'above-capacity', destination: 'b', asked: 3, limit: 2 }],
        book: { time: expect.any(String) },
      },
    });
    expect(Object(document['explanation']).trace.map(({ step }: { step: string }) => step)).toEqual(
      expect.arrayContaining(['tool-matched', 'combined', 'rule', 'ranked']),
    );
  });

  test('of an ask that was refused has the reasons of the answer', async () => {
    const answer = await ask(`${ASK}\nresources: {compute: [{min-cores: 5}]}`);
    const { document } = await explain(responseOf(answer).explain);
    expect(document).toMatchObject({
      explanation: {
        result: 'NO',
        offers: [],
        reasons: reasonsOf(answer),
        candidates: [
          { destination: 'b', verdict: 'matched' },
          {
            destination: 'a',
            verdict: 'refused',
            reasons: ['cores 5.0 is above max_accepted_cores 4'.replace('5.0', '5')],
          },
        ],
      },
    });
  });

  test('is there in short with the job: destinations judged, found suitable, and its rank', async () => {
    const [offer] = offersOf(await ask(`${ASK}\nresources: {compute: [{min-cores: 2}]}`));
    await send(`/offers/${offer?.ident}`, { token: 'ada-token', body: 'status: ACCEPTED' });
    const { text } = await send(`/jobs/${offer?.ident}`, { token: 'ada-token' });
    expect(text).toMatch(
      new RegExp(
        '<decision>.*<tool>executable/sort</tool><considered>2</considered>' +
          '<suitable>2</suitable><rank>1</rank></decision>',
      ),
    );
  });

  test('of an ask that was not understood says that no rules ran', async () => {
    const answer = await ask(`${ASK}\nresources: {compute: [{min-coars: 5}]}`);
    expect((await explain(responseOf(answer).explain)).document).toMatchObject({
      explanation: {
        rules: { replay: 'not-decided' },
        inputs: null,
        trace: [],
        reasons: [{ code: 'unknown-key' }],
      },
    });
  });

  test('is for its owner and administrators; for others the ask and the offer do not exist', async () => {
    const answer = await ask(ASK);
    const { ident } = responseOf(answer);
    const offer = offersOf(answer)[0]?.ident;
    expect((await explain(`/asks/${ident}/explain`, 'root-token')).status).toBe(200);
    for (const [path, code] of [
      [`/asks/${ident}/explain`, 'ask-unknown'],
      [`/offers/${offer}/explain`, 'offer-unknown'],
      ['/asks/nonsense/explain', 'ask-unknown'],
      [`/asks/${offer}/explain`, 'ask-unknown'],
    ] as const) {
      expect(await explain(path, 'bob-token')).toMatchObject({ status: 404, document: { code } });
    }
  });

  test('names no other user to its owner, neither by counted jobs nor by conditions of rules', async () => {
    for (let n = 0; n < 2; n += 1) {
      const [offer] = offersOf(await ask(ASK, 'bob-token'));
      await send(offer?.href ?? '', { token: 'bob-token', body: 'status: ACCEPTED' });
    }
    const { explain: path } = responseOf(await ask(ASK));
    const own = await explain(path);
    expect(own.document).toMatchObject({
      explanation: {
        rules: { replay: 'same' },
        inputs: { job: { otherJobs: [{ state: 'queued', jobs: 2 }] } },
      },
    });
    expect([
      own.text.includes('bob'),
      own.text.includes('eve@'),
      own.text.includes('ada@example.org'),
    ]).toEqual([false, false, true]);
    const all = await explain(path, 'root-token');
    expect([all.text.includes('bob@example.org'), all.text.includes('eve@example.org')]).toEqual([
      true,
      true,
    ]);
  });

  test('is plain text for people, with the steps as TPV prints them', async () => {
    const answer = await ask(`${ASK}\nresources: {compute: [{min-cores: 5}]}`);
    const { text, headers } = await explain(responseOf(answer).explain, 'ada-token', {
      Accept: 'text/plain',
    });
    expect(headers.get('content-type')).toContain('text/plain');
    for (const part of [
      'answered NO',
      'TPV SCHEDULING DECISION TRACE',
      'friends',
      'still in force',
      'above-max-accepted: a:',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('eve@');
  });

  test('makes no decision and no record, and counts against the rate of asks', async () => {
    const { explain: path } = responseOf(await ask(ASK, 'bob-token'));
    const statuses: number[] = [];
    for (let n = 0; n < 45; n += 1)
      statuses.push((await send(path, { token: 'bob-token' })).status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(await service.db.database.ask.count()).toBe(1);
  });

  test('says whether the rules would repeat the recorded answer, give another, or have changed', async () => {
    const { explain: path } = responseOf(await ask(ASK));
    await service.db.database
      .$executeRaw`UPDATE ask SET inputs = jsonb_set(inputs, '{job,tool,id}', '"executable/uniq"')`;
    expect((await explain(path)).document).toMatchObject({
      explanation: { rules: { replay: 'different' } },
    });
    await service.db.database.$executeRaw`UPDATE ask SET rules_digest = 'other'`;
    expect((await explain(path)).document).toMatchObject({
      explanation: { rules: { replay: 'rules-changed' } },
    });
  });
});
