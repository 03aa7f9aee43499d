import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  JobAborted,
  JobFailed,
  OfferTaken,
  openPlanner,
  PlannerError,
  secondsLeft,
  Unauthorized,
  WaitTimeout,
  type Ask,
  type Change,
  type Job,
  type Planner,
  type Yes,
} from '../../clients/typescript/src/index.ts';
import { startProxy } from '../harness/proxy.ts';
import { processDestination, tokenOf } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { all, watched, type Watched } from './watched.ts';

const EXECUTABLE = 'https://www.purl.org/ivoa-net/task-type/executable';
let service: WholeService;
let way: Watched;
let planner: Planner;
beforeAll(async () => {
  service = await startWholeService({
    site: {
      rules: ['rules.yml'],
      identity: {
        anonymous: false,
        tokens: [tokenOf('ada-token'), tokenOf('op-token', { roles: ['ops'] })],
        administrators: ['ops'],
      },
      environments: { 'built-in': { pyodide: true } },
      destinations: {
        here: processDestination({ cores: 8 }),
        there: processDestination(),
        pages: {
          runner: 'notebook',
          'task-types': ['python-program'],
          environments: ['built-in'],
          cores: 2,
          memory: '4GiB',
          scratch: '10GiB',
        },
      },
    },
    rules: {
      destinations: {
        here: { runner: 'process' },
        there: { runner: 'process' },
        pages: { runner: 'notebook' },
      },
    },
  });
  way = watched();
  planner = openPlanner(`${service.url}/`, { token: 'ada-token', fetch: way.fetch });
});
afterAll(() => service?.close());

describe('the conversation', () => {
  test('goes from an ask to a log, the results and an empty list', async () => {
    const job = await jobOf(
      'echo one; sleep 0.3; printf "10%%\\r20%%\\r\\n\\ntwo"; echo 7 > seven.txt',
    );
    const lines: string[] = [];
    for await (const line of job.follow()) lines.push(line);
    expect(lines).toEqual(['one', '10%\r20%', '', 'two']);
    const { phase } = await job.wait({ timeout: 600_000 });
    expect([phase, job.document?.phase]).toEqual(['COMPLETED', 'COMPLETED']);
    const results = await job.results();
    const seven = results.get('seven.txt');
    expect([seven?.size, seven?.type, await seven?.text()]).toEqual([
      2,
      'text/plain; charset=utf-8',
      '7\n',
    ]);
    expect((await results.get('stdout')?.blob())?.size).toBe(results.get('stdout')?.size);
    expect(await planner.job(job.url).read()).toEqual(job.document);
    const ids = async (): Promise<readonly string[]> =>
      (await all(planner.jobs({ phase: ['COMPLETED'], limit: 1 }))).map(({ id }) => id);
    expect(await ids()).toContain(job.id);
    await job.delete({ why: 'done' });
    expect(await ids()).not.toContain(job.id);
    await expect(job.read()).rejects.toMatchObject({ code: 'job-unknown', status: 404 });
  });

  test('has every reason of a NO, and the nearest ask is a YES', async () => {
    const wish = { ...program('true'), resources: { compute: [{ 'min-cores': 64 }] } };
    const answer = await planner.ask(wish);
    if (answer.result === 'YES') throw new Error('too much was promised');
    expect(answer.reasons.map(({ code }) => code)).toContain('above-capacity');
    const nearest = answer.nearest?.ask;
    if (nearest === undefined) throw new Error('there is no nearest ask');
    expect((await planner.check(nearest)).result).toBe('YES');
    expect((await planner.check(wish)).result).toBe('NO');
    expect((await planner.explain(answer.ident)).result).toBe('NO');
    expect(await planner.explainText(answer.ident)).toContain('above-capacity');
    expect((await planner.asked(answer.ident)).document).toEqual(wish);
  });

  test('tells how long an offer is held, gives it back, and says which other one was accepted', async () => {
    const { offers, ident } = await yesTo(program('true'));
    const [first, second] = offers;
    if (second === undefined) throw new Error('there is one offer only');
    const left = secondsLeft(first);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(first['expires-in']);
    expect((await planner.reject(first, { why: 'too early' })).status).toBe('REJECTED');
    const job = await planner.accept(second, { start: 'client' });
    expect((await planner.offer(second.ident)).status).toBe('ACCEPTED');
    expect((await planner.explain(second.ident)).ident).toBe(ident);
    expect((await job.read()).phase).toBe('PENDING');
    await job.run();
    expect((await job.wait()).phase).toBe('COMPLETED');
    const other = await yesTo(program('true'));
    await planner.accept(other.offers[0], { start: 'client' });
    const [, late] = other.offers;
    if (late === undefined) throw new Error('there is one offer only');
    const taken = await planner.accept(late).catch((error: unknown) => error);
    expect(taken).toBeInstanceOf(OfferTaken);
    expect(taken).toMatchObject({ winner: other.offers[0].ident, status: 409 });
    await planner.job(other.offers[0].ident).abort();
  });

  test('repeats an ask and an acceptance with the same key, and the service decides once', async () => {
    const first = await planner.ask(program('true'), { key: 'one-key' });
    const again = await planner.ask(program('true'), { key: 'one-key' });
    expect(again).toMatchObject({ ident: 'ident' in first ? first.ident : '' });
    if (first.result === 'NO') throw new Error('there is no offer');
    const [one, other] = [
      await planner.accept(first.offers[0], { key: 'other-key', start: 'client' }),
      await planner.accept(first.offers[0], { key: 'other-key', start: 'client' }),
    ];
    expect(other.id).toBe(one.id);
    await one.abort();
  });
});

describe('a job', () => {
  test('that fails says why, and one that is stopped that it was', async () => {
    const failing = await jobOf('echo no >&2; exit 3');
    const failed = await failing.wait().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(JobFailed);
    expect(failed).toMatchObject({ code: 'task-failed', job: { phase: 'ERROR' } });
    expect((await failing.wait({ check: false })).phase).toBe('ERROR');
    const lines = await all(failing.follow('stderr'));
    expect(lines).toEqual(['no']);
    const long = await jobOf('sleep 1000');
    const waiting = long.wait().catch((error: unknown) => error);
    await long.abort({ why: 'too long' });
    expect(await waiting).toBeInstanceOf(JobAborted);
  });

  test('may be waited for within a time, and until somebody has enough', async () => {
    const job = await jobOf('sleep 1000');
    await expect(job.wait({ timeout: 300 })).rejects.toBeInstanceOf(WaitTimeout);
    const stop = new AbortController();
    const waiting = job.wait({ signal: stop.signal });
    const following = all(job.follow('stdout', { signal: stop.signal }));
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(following).rejects.toThrow('enough');
    await job.abort();
  });

  test('is followed from before its start, and has no other logs', async () => {
    const { offers } = await yesTo(program('echo here'));
    const job = await planner.accept(offers[0], { start: 'client' });
    const following = all(job.follow());
    await job.run();
    expect(await following).toEqual(['here']);
    await expect(all(job.follow('stdoot'))).rejects.toMatchObject({ code: 'result-unknown' });
  });

  test('is kept longer', async () => {
    const job = await jobOf('true');
    const before = Date.parse((await job.wait()).destruction);
    const { destruction } = await job.keepUntil(new Date(before - 60_000));
    expect(Date.parse(destruction)).toBe(before - 60_000);
  });

  test('is found by its address under another name of the service, and nothing goes there', async () => {
    const job = await jobOf('true');
    const elsewhere = `https://elsewhere.example.org/below/jobs/${job.id}/results?x=1`;
    const found = planner.job(elsewhere);
    expect(found.url).toBe(job.url);
    expect((await found.read()).jobId).toBe(job.id);
    for (const address of ['https://jobs/offers/7', `${service.url}/jobs/?a=jobs/b`, 'a/b'])
      expect(() => planner.job(address)).toThrow(`'${address}' is no address of one of the jobs`);
    expect(() => planner.job(`${service.url}/jobs/..`)).toThrow("'..' is no identifier");
  });

  test('and all else has a name, without which nothing is sent', async () => {
    for (const name of ['', '.', '..']) {
      const refused = new TypeError(`'${name}' is no identifier`);
      expect(() => planner.job(name)).toThrow(refused);
      for (const call of [
        planner.offer(name),
        planner.asked(name),
        planner.accept(name),
        planner.reject(name),
        planner.explain(name),
        planner.explainText(name),
        planner.admin.drain(name, 'a reason'),
        planner.admin.undrain(name),
        planner.api.GET('/jobs/{job}', { params: { path: { job: name } } }),
      ])
        await expect(call).rejects.toThrow(refused);
    }
    await expect(planner.explainText('nothing')).rejects.toMatchObject({ code: 'offer-unknown' });
  });
});

test('behind a proxy that cuts every answer after half a second, all is whole and nothing twice', async () => {
  const cutting = await startProxy(service.url, {
    headers: ({ host }) => ({ host }),
    cutAfter: 500,
  });
  try {
    const behind = openPlanner(`http://127.0.0.1:${cutting.port}`, { token: 'ada-token' });
    const { id } = await jobOf('for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.4; done');
    const job = behind.job(id);
    const [lines, { phase }] = await Promise.all([all(job.follow()), job.wait()]);
    expect(lines).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(phase).toBe('COMPLETED');
  } finally {
    await cutting.close();
  }
});

describe('what the service tells', () => {
  test('changes come as they happen', async () => {
    const stop = new AbortController();
    const changes: Change[] = [];
    const begun = Promise.withResolvers<void>();
    const listening = (async () => {
      for await (const change of planner.events({ signal: stop.signal })) {
        changes.push(change);
        begun.resolve();
        if (change.kind === 'job' && change.phase === 'COMPLETED') return;
      }
    })();
    await begun.promise;
    const job = await jobOf('true');
    await listening;
    expect(changes[0]).toEqual({ kind: 'start' });
    expect(changes.at(-1)).toMatchObject({ kind: 'job', id: job.id });
  });

  test('who the client is, the site, the calendar, and the lists page by page', async () => {
    expect((await planner.me()).identity.user).toBe('ada@example.org');
    expect((await planner.site()).destinations.map(({ destination }) => destination)).toEqual([
      'here',
      'there',
      'pages',
    ]);
    expect(await planner.environments()).toMatchObject([
      { environment: 'built-in', state: 'ready', destinations: ['pages'] },
    ]);
    const calendar = await planner.calendar({ destination: ['here'], mine: true });
    expect(calendar.destinations.map(({ destination }) => destination)).toEqual(['here']);
    const asks = await all(planner.asks({ limit: 1 }));
    expect(asks.length).toBeGreaterThan(2);
    const whole = await all(planner.offers());
    const paged = await all(planner.offers({ limit: 2 }));
    expect(paged.map(({ ident }) => ident)).toEqual(whole.map(({ ident }) => ident));
  });

  test('administrators drain a destination, see the overview and the trail, and others do not', async () => {
    const operator = openPlanner(service.url, { token: () => 'op-token', fetch: way.fetch });
    const until = new Date(Date.now() + 3_600_000);
    const drain = await operator.admin.drain('there', 'new discs', { until });
    expect(drain).toMatchObject({ destination: 'there', until: until.toISOString() });
    const { destinations } = await operator.admin.overview();
    expect(destinations.map(({ destination }) => destination)).toEqual(['here', 'there', 'pages']);
    await operator.admin.undrain('there', { why: 'they are there' });
    const trail = await operator.admin.audit({ limit: 5 });
    expect(trail.map(({ why }) => why)).toContain('they are there');
    await expect(planner.admin.overview()).rejects.toMatchObject({ status: 403 });
  });

  test('a refusal has its code, status and number', async () => {
    const stranger = openPlanner(service.url, { token: 'no-token', fetch: way.fetch });
    const refused = await stranger.ask(program('true')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Unauthorized);
    const unknown = await planner
      .job('no-such-job')
      .read()
      .catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(PlannerError);
    expect(unknown).toMatchObject({ code: 'job-unknown', status: 404 });
    expect(unknown).toHaveProperty('requestId', expect.stringMatching(/^[\w-]+$/));
  });
});

test('the contract knows all bodies of these conversations', () => {
  expect(way.faults).toEqual([]);
  expect(way.requests.length).toBeGreaterThan(50);
});

async function jobOf(script: string): Promise<Job> {
  return planner.accept((await yesTo(program(script))).offers[0]);
}

async function yesTo(ask: Ask): Promise<Yes> {
  const answer = await planner.ask(ask);
  if (answer.result === 'NO') throw new Error(answer.reasons[0].text);
  return answer;
}

function program(script: string): Ask {
  return { task: { type: EXECUTABLE, spec: { command: ['sh', '-c', script] } } };
}
