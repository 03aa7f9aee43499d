import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { serveTests } from '../../harness/serve.ts';
import { gpusOf } from '../../harness/site.ts';
import { A100, task, withCompute, withPaths, type Sent } from './bad-asks/asks.ts';
import { REFUSED_COMPUTE } from './bad-asks/refused-compute.ts';
import { REFUSED_STORAGE } from './bad-asks/refused-storage.ts';
import { REFUSED_TASKS } from './bad-asks/refused-tasks.ts';
import { REFUSED_VOLUMES } from './bad-asks/refused-volumes.ts';
import { UNREADABLE } from './bad-asks/unreadable.ts';

const SITE = {
  rules: ['rules.yml'],
  fetch: {
    'file-roots': ['/srv/notebooks'],
    s3: [{ endpoint: 'https://s3.example.net', buckets: ['open'] }],
  },
  destinations: {
    here: {
      runner: 'notebook',
      'task-types': ['jupyter-notebook', 'python-program'],
      cores: 8,
      memory: '16GiB',
      scratch: '100GiB',
    },
    gpus: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 8,
      memory: '16GiB',
      scratch: '100GiB',
      ...gpusOf({ [A100]: 2 }),
    },
  },
};
const RULES = {
  destinations: {
    here: { runner: 'notebook', max_accepted_cores: 8, max_accepted_mem: 16 },
    gpus: { runner: 'process', max_accepted_cores: 8, max_accepted_mem: 16 },
  },
};

const REFUSED = [...REFUSED_TASKS, ...REFUSED_COMPUTE, ...REFUSED_STORAGE, ...REFUSED_VOLUMES];

describe('wrong input', () => {
  const service = serveTests(SITE, RULES);

  const send = async (
    sent: string | Sent,
  ): Promise<{ status: number; document: Record<string, unknown>; text: string }> => {
    const { body, type, encoding } = typeof sent === 'string' ? { body: sent } : sent;
    const headers = {
      'Content-Type': type ?? 'application/yaml',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    };
    const response = await fetch(`${service.url}/request`, { method: 'POST', body, headers });
    const text = await response.text();
    return { status: response.status, document: Object(load(text)), text };
  };
  const asksStillWork = async (): Promise<void> => {
    expect((await send(`task: ${task}`)).document).toMatchObject({ response: { result: 'YES' } });
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
  };

  test.each(UNREADABLE)('%i %s: %s', async (status, code, _, sent) => {
    const { status: got, document } = await send(sent);
    expect({ status: got, code: document['code'] }).toEqual({ status, code });
    expect(String(document['detail']).length).toBeGreaterThan(10);
    await asksStillWork();
  });

  test('that announces a size above the limit is refused before it arrives', async () => {
    const { host, hostname, port } = new URL(service.url);
    for (const [path, type] of [
      ['/request', 'application/yaml'],
      ['/jobs', 'application/x-www-form-urlencoded'],
    ]) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: 1000000000\r\n\r\nt`,
      );
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
      socket.destroy();
    }
  });

  test.each(REFUSED)('NO %s at %s: %s', async (code, path, _, sent) => {
    const { status, document } = await send(sent);
    expect(status).toBe(200);
    expect(document).toMatchObject({
      response: {
        result: 'NO',
        reasons: expect.arrayContaining([
          expect.objectContaining({ code, path, text: expect.any(String) }),
        ]),
      },
    });
    await asksStillWork();
  });

  test.each([
    ['x', 'x/y'],
    ['/x/y', '/x'],
    ['x', 'xy'],
    ['a'.repeat(255), `${'語'.repeat(85)}/b`],
    ['/x', 'x'],
  ])('may have the volume paths %s and %s, which are two places', async (one, other) => {
    const { document } = await send(withPaths([one, other]));
    expect(document).toMatchObject({ response: { result: 'YES' } });
    await asksStillWork();
  });

  test('is answered with every reason, not only the first', async () => {
    const { document } = await send(
      withCompute('{min-cores: -1, foo: 1, gpu: {type: x, bar: 2}}, {}'),
    );
    const { reasons } = Object(document['response']);
    expect(
      Array.isArray(reasons) ? reasons.map(({ code, path }) => `${code} ${path}`) : [],
    ).toEqual([
      'unknown-key resources.compute[0].foo',
      'amount-not-positive resources.compute[0].min-cores',
      'unknown-key resources.compute[0].gpu.bar',
    ]);
  });

  test('has 100 reasons at most, however many unknown keys there are', async () => {
    const { document } = await send(
      `task: ${task}\n${Array.from({ length: 5000 }, (_, n) => `k${n}: 1`).join('\n')}`,
    );
    expect(Object(document['response']).reasons).toHaveLength(100);
  });

  test('with the wrong shape everywhere has an answer as short as the first 100 faults', async () => {
    const body = `task: ${task}\nresources: {storage: [${'{},'.repeat(20_000)}]}`;
    for (const path of ['/request', '/jobs']) {
      const response = await fetch(service.url + path, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/yaml' },
      });
      expect([response.status, (await response.text()).length < 20_000]).toEqual([400, true]);
    }
    expect(Object((await send(body)).document).errors).toHaveLength(100);
  });

  test('with the wrong shape names every place that is wrong', async () => {
    const { document } = await send(withCompute('{min-cores: "8", gpu: {count: 1}}'));
    expect(document).toMatchObject({
      errors: [
        { path: 'resources.compute[0].min-cores', text: "must be a number, not the string '8'" },
        { path: 'resources.compute[0].gpu.type', text: 'is missing' },
      ],
    });
  });

  test.each([
    [
      'time: {duration: 3600}',
      'time.duration',
      'must be a string or a mapping, not the number 3600',
    ],
    ['time: [{duration: {min: 5}}]', 'time[0].duration.min', 'must be a string, not the number 5'],
    ['time: 5', 'time', 'must be a string or a mapping or a list, not the number 5'],
    ['time: null', 'time', 'must be a string or a mapping or a list, not null'],
  ])('says once what would be right for %s', async (line, path, text) => {
    expect((await send(`task: ${task}\n${line}`)).document).toMatchObject({
      detail: `The request does not match the contract: ${path} ${text}.`,
      errors: [{ path, text }],
    });
  });

  test('without a task, or with a key of something else, says which key', async () => {
    for (const path of ['/request', '/jobs']) {
      const response = await fetch(service.url + path, {
        method: 'POST',
        body: 'tasks: {}',
        headers: { 'Content-Type': 'application/yaml' },
      });
      expect(await response.text()).toMatch(/does not match the contract: task is missing\./);
    }
  });
});
