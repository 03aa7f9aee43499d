import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsOf, type Reply } from '../harness/client.ts';
import { contractFaults } from '../harness/contract.ts';
import { emptyBookBeforeEach, serveTests } from '../harness/serve.ts';
import { tokenOf } from '../harness/site.ts';
import { LARGE, offerTerms } from './site.ts';

const SITE = {
  rules: ['rules.yml'],
  quotas: [],
  offers: offerTerms(2),
  identity: {
    tokens: [tokenOf('ada'), tokenOf('bob'), tokenOf('teacher', { roles: ['teachers'] })],
  },
  destinations: { a: LARGE },
};
const RULES = {
  global: { resource_pool_store: { class: 'execution-planner' } },
  tools: {
    '.*': {
      scheduling: { accept: ['general'] },
      rules: [
        {
          if: 'helpers.get_tool_resource_field(tool, "cores") == 7',
          scheduling: { require: ['heavy'] },
        },
      ],
    },
  },
  roles: { teachers: { max_concurrent_cores: 100 } },
  destinations: {
    a: { runner: 'process', max_accepted_cores: 400, scheduling: { accept: ['general', 'heavy'] } },
  },
  pools: {
    everything: { max_concurrent_cores: 32, max_concurrent_mem: 64 },
    heavy: {
      max_concurrent_cores: 4,
      scheduling: { require: ['heavy'] },
      oversize: { max_concurrent: 1, hard_max_cores: 8 },
    },
    never: { abstract: true, max_concurrent_cores: 0 },
  },
};

function ask(cores: number, memory = 1): string {
  return `
task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}
resources:
  compute:
  - {min-cores: ${cores}, max-cores: ${cores}, min-memory: ${memory}Gb, max-memory: ${memory}Gb}`;
}

describe('a resource pool of the rule files', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { send } = service;
  const asks = (who: string | undefined, cores: number, memory?: number): Promise<Reply> =>
    send('/request', { token: who, body: ask(cores, memory) });
  const update = (who: string, href: string | undefined, status: string): Promise<Reply> =>
    send(href ?? '', { token: who, body: `status: ${status}` });
  const isYes = (reply: Reply): boolean => offersOf(reply).length > 0;
  const calendar = async (who: string): Promise<unknown> => {
    const reply = await send('/calendar', { token: who });
    expect(contractFaults('CalendarBody', reply.document)).toEqual([]);
    return Object(reply.document['calendar']).pools;
  };

  test('bounds what a user has at a time, and a NO says what is in use and when there is room', async () => {
    const before = Date.now();
    expect(isYes(await asks('ada', 20))).toBe(true);
    const refused = await asks('ada', 16);
    expect(contractFaults('AnswerBody', refused.document)).toEqual([]);
    const [reason, ...more] = reasonsOf(refused);
    expect(more).toEqual([]);
    expect(reason).toMatchObject({
      code: 'pool-full',
      path: 'resources.compute[0].min-cores',
      resource: 'cores',
      asked: 16,
      limit: 32,
      text: expect.stringContaining(
        "The resource pool 'everything' lets you have 32 cores at a time; 20 are in use.",
      ),
    });
    // It is free at the end of the offered run at the latest.
    const earliest = Date.parse(String(reason?.['earliest']));
    expect(earliest).toBeGreaterThan(before + 3_600_000);
    expect(earliest).toBeLessThan(Date.now() + 3_600_000 + 700_000 + 31_000);
    expect(Object(refused.document['response']).nearest).toMatchObject({ changes: [{ to: 12 }] });
    expect(isYes(await asks('ada', 12))).toBe(true);
    expect(isYes(await asks('bob', 32))).toBe(true);
  });

  test('applies to known users only: anonymous ones are in none', async () => {
    expect(isYes(await asks(undefined, 60))).toBe(true);
  });

  test('never takes a task that is larger than all of it, and says what it would take', async () => {
    const refused = await asks('ada', 64, 100);
    expect(contractFaults('AnswerBody', refused.document)).toEqual([]);
    expect(reasonsOf(refused)).toMatchObject([
      {
        code: 'pool-exceeded',
        path: 'resources.compute[0].min-cores',
        asked: 64,
        limit: 32,
        text: expect.stringContaining('can never be scheduled.'),
      },
      {
        code: 'pool-exceeded',
        path: 'resources.compute[0].min-memory',
        asked: '100Gb',
        limit: '64Gb',
      },
    ]);
    expect(
      Object(refused.document['response']).nearest.changes.map(
        ({ to }: { readonly to: unknown }) => to,
      ),
    ).toEqual(expect.arrayContaining([32, '64Gb']));
  });

  test('has another size for users and roles whose rule says so', async () => {
    expect(isYes(await asks('teacher', 64))).toBe(true);
    expect(reasonsOf(await asks('teacher', 64))).toMatchObject([{ code: 'pool-full', limit: 100 }]);
  });

  test('has a bounded number of places for tasks that are larger than it', async () => {
    expect(isYes(await asks('ada', 7))).toBe(true);
    expect(reasonsOf(await asks('ada', 7))).toMatchObject([
      {
        code: 'pool-full',
        path: 'identity',
        text: expect.stringContaining('At most 1 of your jobs at a time may be larger than'),
      },
    ]);
    // The other pool, which was checked at the same time, is unchanged.
    expect(await calendar('ada')).toMatchObject([
      { pool: 'everything', tasks: 1, cores: 7, memory: 1 },
      { pool: 'heavy', tasks: 1, cores: 7 },
    ]);
  });

  test('has room again when an answer is given back and when a job is over', async () => {
    const [given] = offersOf(await asks('ada', 30));
    expect(isYes(await asks('ada', 30))).toBe(false);
    await update('ada', given?.href, 'REJECTED');
    const [taken] = offersOf(await asks('ada', 30));
    await update('ada', taken?.href, 'ACCEPTED');
    expect(isYes(await asks('ada', 30))).toBe(false);
    await service.db.database
      .$executeRaw`SELECT end_job(${taken?.ident}::uuid, 'CANCELLED', '{}'::jsonb)`;
    expect(isYes(await asks('ada', 30))).toBe(true);
    expect(await service.db.database.resourcePoolUse.count()).toBe(1);
  });

  test('shows in the calendar, to each user their own part, and in the metrics for all', async () => {
    await asks('ada', 20, 3);
    await asks('bob', 4, 2);
    expect(await calendar('ada')).toEqual([
      { pool: 'everything', tasks: 1, cores: 20, memory: 3, gpus: 0 },
    ]);
    expect(await calendar('teacher')).toBeUndefined();
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('planner_resource_pool_users{pool="everything"} 2\n');
    expect(metrics).toContain('planner_resource_pool_cores{pool="everything"} 24\n');
    expect(metrics).toContain(
      `planner_resource_pool_memory_bytes{pool="everything"} ${5 * 1024 ** 3}\n`,
    );
  });

  test('is explained in the words of TPV: which pools govern the task, and whether they had room', async () => {
    const text = async (answer: Reply): Promise<string> => {
      const { ident } = Object(answer.document['response']);
      return (
        await send(`/asks/${ident}/explain`, { token: 'ada', headers: { Accept: 'text/plain' } })
      ).text;
    };
    const first = await text(await asks('ada', 20));
    expect(first).toContain(
      "Pool 'everything' governs this job: request is normal\n" +
        '        request: cores=20.0, mem=1.0, gpus=0.0\n' +
        '        budget:  cores=32, mem=64, gpus=None',
    );
    expect(first).toContain('Admitted and recorded in: everything');
    expect(await text(await asks('ada', 20))).toContain(
      "DEFERRED: user's current usage leaves no room in: everything",
    );
    expect(await text(await asks('ada', 64))).toContain("Pool 'everything': REJECTED");
  });

  test('is asked by a dry run too, which takes nothing of it', async () => {
    const tryOut = async (cores: number): Promise<unknown> =>
      Object(
        (await send('/request?dry-run=true', { token: 'ada', body: ask(cores) })).document[
          'response'
        ],
      ).result;
    expect([await tryOut(32), await tryOut(32), await tryOut(64)]).toEqual(['YES', 'YES', 'NO']);
    await asks('ada', 20);
    expect([await tryOut(12), await tryOut(13)]).toEqual(['YES', 'NO']);
  });
});
