import { afterEach, describe, expect, test } from '@jest/globals';
import { startTestService, type TestService } from '../harness/service.ts';
import { startWebServer } from '../sandbox/web-server.ts';

const DESTINATION = {
  runner: 'process',
  'task-types': ['executable'],
  cores: 8,
  memory: '16GiB',
  scratch: '160GiB',
};
const SITE = {
  rules: ['rules.yml'],
  sandbox: { 'decision-ms': 2000 },
  destinations: { a: DESTINATION, b: DESTINATION },
};
const DESTINATIONS = { a: { runner: 'process' }, b: { runner: 'process' } };

const open = new Set<{ readonly close: () => Promise<void> }>();

function opened<T extends { readonly close: () => Promise<void> }>(one: T): T {
  open.add(one);
  return one;
}

afterEach(async () => {
  for (const one of open) await one.close();
  open.clear();
});

type Answer = {
  readonly result: string;
  readonly offers?: readonly {
    readonly ident: string;
    readonly href: string;
    readonly destination?: string;
  }[];
  readonly reasons?: readonly object[];
};

/** Asks and accepts; the job stays queued, since no executor runs. @returns its id */
async function startJob(service: TestService, command: string): Promise<string> {
  const [offer] = (await ask(service, command)).offers ?? [];
  if (offer === undefined) throw new Error('there is no offer');
  await post(offer.href, { status: 'ACCEPTED' });
  return offer.ident;
}

async function ask({ url }: TestService, command: string): Promise<Answer> {
  return Object((await post(`${url}/request`, { task: task(command) }))['response']);
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
  });
  return Object(await response.json());
}

function task(command: string): object {
  return {
    type: 'https://www.purl.org/ivoa-net/task-type/executable',
    spec: { command: [command] },
  };
}

describe('rules that count jobs', () => {
  test('say NO while two jobs of the tool are queued or running, and YES when one is over', async () => {
    const service = opened(
      await startTestService(SITE, {
        tools: {
          'executable/sort': {
            rules: [
              {
                if: 'helpers.concurrent_job_count_for_tool(app, tool) >= 2',
                fail: 'Two at a time.',
              },
            ],
          },
        },
        destinations: DESTINATIONS,
      }),
    );
    const job = await startJob(service, 'sort');
    expect(await ask(service, 'sort')).toMatchObject({ result: 'YES' });
    await startJob(service, 'sort');
    expect(await ask(service, 'sort')).toMatchObject({
      result: 'NO',
      reasons: [{ code: 'rule-failed', text: expect.stringContaining('Two at a time.') }],
    });
    expect(await ask(service, 'uniq')).toMatchObject({ result: 'YES' });
    await fetch(`${service.url}/jobs/${job}/phase`, {
      method: 'POST',
      body: new URLSearchParams({ PHASE: 'ABORT' }),
    });
    expect(await ask(service, 'sort')).toMatchObject({ result: 'YES' });
  });

  test('can rank destinations by the queue of each, as sites ask their database', async () => {
    const rank = `
from sqlalchemy import func
column = app.model.Job.table.c.destination_id
counts = app.model.context.query(column, func.count(column)).filter(
    column.in_(d.id for d in candidate_destinations),
    app.model.Job.table.c.state == app.model.Job.states.QUEUED
).group_by(app.model.Job.destination_id).all()
queued = dict((d, c) for d, c in counts)
candidate_destinations.sort(key=lambda d: (queued.get(d.id, 0), d.id))
candidate_destinations
`;
    const service = opened(
      await startTestService(SITE, {
        global: { default_inherits: 'default' },
        tools: { default: { rank } },
        destinations: DESTINATIONS,
      }),
    );
    const first = async (): Promise<string | undefined> =>
      (await ask(service, 'sort')).offers?.[0]?.destination;
    expect(await first()).toBe('a');
    await startJob(service, 'sort');
    expect(await first()).toBe('b');
  });

  test('get the counts that the record of the ask keeps, so that the decision can be repeated', async () => {
    const service = opened(
      await startTestService(SITE, {
        tools: {
          'executable/.*': {
            rules: [
              { if: 'helpers.concurrent_job_count_for_tool(app, tool) > 9', fail: 'Too many.' },
            ],
          },
        },
        destinations: DESTINATIONS,
      }),
    );
    await startJob(service, 'sort');
    await ask(service, 'sort');
    const [record] = await service.db.database.$queryRaw<{ jobs: unknown }[]>`
      SELECT inputs #> '{job,otherJobs}' AS jobs FROM ask ORDER BY created_at DESC LIMIT 1`;
    expect(record?.jobs).toMatchObject([
      { toolId: 'executable/sort', state: 'queued', count: 1, destination: 'a' },
    ]);
  });

  test('cost a query; other rules cost none', async () => {
    const service = opened(await startTestService(SITE, { destinations: DESTINATIONS }));
    await ask(service, 'sort');
    const [record] = await service.db.database.$queryRaw<
      { has: boolean }[]
    >`SELECT inputs->'job' ? 'otherJobs' AS has FROM ask`;
    expect(record?.has).toBe(false);
  });
});

describe('rules that ask a metrics server', () => {
  test('rank by its answer, which is kept in the record of the ask', async () => {
    const server = opened(
      await startWebServer((_asked, response) => response.end('{"a": 90, "b": 5}')),
    );
    const rank = `
import requests
load = requests.get('${server.origin}/load').json()
candidate_destinations.sort(key=lambda d: load[d.id])
candidate_destinations
`;
    const site = { ...SITE, requests: { allow: [server.origin] } };
    const service = opened(
      await startTestService(site, {
        global: { default_inherits: 'default' },
        tools: { default: { rank } },
        destinations: DESTINATIONS,
      }),
    );
    expect((await ask(service, 'sort')).offers?.map(({ destination }) => destination)).toEqual([
      'b',
      'a',
    ]);
    const [record] = await service.db.database.$queryRaw<
      { answers: unknown }[]
    >`SELECT inputs #> '{circumstances,answers}' AS answers FROM ask`;
    expect(record?.answers).toMatchObject([
      { kind: 'answered', status: 200, text: '{"a": 90, "b": 5}' },
    ]);
    expect(await metrics(service)).toEqual(
      expect.arrayContaining([
        'planner_rule_requests{result="answered"} 1',
        'planner_rule_requests{result="failed"} 0',
      ]),
    );
  });
});

async function metrics({ url }: TestService): Promise<readonly string[]> {
  return (await (await fetch(`${url}/metrics`)).text()).split('\n');
}

function rule(execute: string): object {
  return { rules: [{ if: 'True', execute }] };
}

describe('rules that make text that no database can hold', () => {
  test('are answered with a mark in its place', async () => {
    const service = opened(
      await startTestService(SITE, {
        tools: {
          'executable/nul': rule("entity.params['a' + chr(0)] = 'x' + chr(0) + chr(0xd800)"),
          'executable/fail': { rules: [{ if: 'True', fail: '{chr(0)}No\\\\u0000{chr(0xdfff)}' }] },
        },
        destinations: DESTINATIONS,
      }),
    );
    // An f-string with NUL in it is no Python, so each destination says
    // why it cannot have the text.
    expect(await ask(service, 'nul')).toMatchObject({
      result: 'NO',
      reasons: [{ code: 'rule-error', destinations: ['a', 'b'] }],
    });
    expect(await ask(service, 'fail')).toMatchObject({
      result: 'NO',
      reasons: [{ code: 'rule-failed', text: expect.stringContaining('\uFFFDNo\\u0000\uFFFD') }],
    });
  });
});

describe('rules that would take all time or memory', () => {
  test('answer NO with the cause, the next ask is answered, and the metrics count both', async () => {
    const service = opened(
      await startTestService(SITE, {
        tools: {
          'executable/loop': rule('while True: pass'),
          'executable/pattern': rule("import re\nre.match('(a+)+$', 'a' * 60 + 'b')"),
          'executable/huge': { rules: [{ if: 'True', fail: "{'x' * 5000000}" }] },
        },
        destinations: DESTINATIONS,
      }),
    );
    for (const [command, code] of [
      ['loop', 'rule-timeout'],
      ['pattern', 'rule-timeout'],
      ['huge', 'rule-memory'],
    ] as const) {
      expect(await ask(service, command)).toMatchObject({ result: 'NO', reasons: [{ code }] });
      expect(await ask(service, 'sort')).toMatchObject({ result: 'YES' });
    }
    expect(await metrics(service)).toEqual(
      expect.arrayContaining([
        'planner_refusals_total{code="rule-timeout"} 2',
        'planner_refusals_total{code="rule-memory"} 1',
        'planner_sandbox{what="out-of-steps"} 1',
        'planner_sandbox{what="timeouts"} 1',
        'planner_sandbox{what="out-of-memory"} 1',
        'planner_sandbox{what="crashes"} 0',
      ]),
    );
  });
});
