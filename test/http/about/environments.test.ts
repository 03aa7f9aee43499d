import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openClient } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { processDestination } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';

const NOTEBOOKS = { runner: 'notebook', 'task-types': ['python-program', 'jupyter-notebook'] };
const SITE = {
  rules: ['rules.yml'],
  environments: { 'built-in': { pyodide: true }, gone: { python: '/nonexistent/bin/python' } },
  destinations: {
    a: processDestination({ ...NOTEBOOKS, environments: ['gone', 'built-in'] }),
    b: processDestination(NOTEBOOKS),
  },
};
const RULES = { destinations: { a: { runner: 'notebook' }, b: { runner: 'notebook' } } };

describe('a service with environments', () => {
  let service: WholeService;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    service = await startWholeService({ site: SITE, rules: RULES });
    send = openClient(service.url);
  });
  afterAll(() => service?.close());

  test('tells everybody which there are and what they have, as often as that changes', async () => {
    const reply = await send('/environments');
    expect(contractFaults('EnvironmentList', reply.document)).toEqual([]);
    expect(reply.document['environments']).toEqual([
      { environment: 'gone', state: 'broken', packages: [], destinations: ['a'] },
      {
        environment: 'built-in',
        state: 'ready',
        python: expect.stringMatching(/^3\.\d+\.\d+$/),
        packages: [],
        destinations: ['a', 'b'],
      },
    ]);
    const tag = reply.headers.get('etag') ?? '';
    const again = await fetch(`${service.url}/environments`, { headers: { 'If-None-Match': tag } });
    expect(again.status).toBe(304);
    const xml = await fetch(`${service.url}/environments`, {
      headers: { Accept: 'application/xml' },
    });
    expect(await xml.text()).toContain('<environment>built-in</environment>');
  });

  test('is ready, and names a broken one', async () => {
    const health = await (await fetch(`${service.url}/readyz`)).json();
    expect(health).toMatchObject({
      parts: { environments: 'degraded' },
      problems: { environments: ['gone is broken'] },
    });
  });

  test('says NO to numpy without it, and runs what needs nothing where it works', async () => {
    expect(await service.ask(asking('import numpy'))).toContain('module-missing');
    const answer = await service.ask(asking('print(6 * 7)'));
    expect(answer).toMatch(/"?environment"?: "?built-in/);
    const [explained = ''] = /\bhttp\S+\/explain\b/.exec(answer) ?? [];
    const told = await fetch(explained, { headers: { Accept: 'text/plain' } });
    expect(await told.text()).toMatch(/ at [ab], in built-in with Python 3\.\d+\.\d+ from /);
    expect((await service.follow(answer)).last).toBe('COMPLETED');
  });
});

function asking(source: string): object {
  return {
    task: { type: 'https://www.purl.org/ivoa-net/task-type/python-program', spec: { source } },
  };
}
