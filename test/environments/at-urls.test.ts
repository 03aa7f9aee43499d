import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { processDestination } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';
const FILES: Readonly<Record<string, string>> = {
  '/numpy.py': 'import os\nimport numpy\n',
  '/plain.py': 'print(6 * 7)\n',
  '/numpy.ipynb': notebook({}, 'import os', 'import numpy'),
  '/plain.ipynb': notebook({}, 'print(6 * 7)'),
  '/two.ipynb': notebook({ kernelspec: { name: 'python2', language: 'python' } }, 'print 1'),
  '/r.ipynb': notebook({ kernelspec: { name: 'ir', language: 'R' } }, 'cat(1)'),
  '/ir.ipynb': notebook({ kernelspec: { name: 'ir', display_name: 'R' } }, 'cat(1)'),
  '/page.ipynb': '<!DOCTYPE html><html></html>',
  '/requirements.txt': '# ours\nastropy>=6\n',
  '/none.txt': '# nothing\n',
  '/wrong.txt': 'astropy\n-r others.txt\n',
};
let server: Server;
let host = '';
let service: WholeService;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    const text = FILES[path];
    // A server that never answers.
    if (path.startsWith('/silent')) return;
    if (path === '/away.py') response.writeHead(302, { location: 'http://127.0.0.2/' }).end();
    else if (text === undefined) response.writeHead(404).end();
    else response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const runner = 'notebook';
  service = await startWholeService({
    site: {
      rules: ['rules.yml'],
      fetch: { 'allow-hosts': [host] },
      environments: { 'built-in': { pyodide: true } },
      destinations: {
        a: processDestination({
          runner,
          'task-types': ['python-program', 'jupyter-notebook'],
          environments: ['built-in'],
        }),
      },
    },
    rules: { destinations: { a: { runner } } },
  });
});
afterAll(async () => {
  await service?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('code at a URL', () => {
  test.each([
    ['python-program', { program: '/numpy.py' }, 'task.spec.program', 'Line 2 imports it'],
    ['jupyter-notebook', { notebook: '/numpy.ipynb' }, 'task.spec.notebook', 'Cell 2 imports it'],
  ])('of a %s is a NO where its imports are not', async (type, spec, path, text) => {
    const answer = await ask(type, spec);
    expect(answer).toMatch(/module-missing/);
    expect(answer).toContain(path);
    expect(answer).toContain(text);
  });

  test('is a NO for a broker, too, at its own place', async () => {
    const executable = { type: `${TYPE}/jupyter-notebook`, location: `http://${host}/numpy.ipynb` };
    const answer = await send('/requests?dry-run=true', { executable });
    expect(answer).toContain('executable.location');
    expect(answer).toContain('Cell 2 imports it');
  });

  test.each([
    ['/two.ipynb', 'written in Python 2'],
    ['/r.ipynb', 'not written in Python: it says r'],
    ['/ir.ipynb', 'not written in Python: its kernel is ir'],
    ['/page.ipynb', 'not JSON'],
  ])('is no notebook of Python 3: %s', async (path, text) => {
    const answer = await ask('jupyter-notebook', { notebook: path });
    expect(answer).toContain('notebook-invalid');
    expect(answer).toContain('task.spec.notebook');
    expect(answer).toContain(text);
  });

  test.each([
    ['name of its kernel', { kernelspec: { name: 'python2' } }],
    ['language of its kernel', { kernelspec: { name: 'x', language: 'python2' } }],
    ['version of its language', { language_info: { name: 'python', version: '2.7.18' } }],
  ])('and in the ask is refused as Python 2 by the %s', async (_what, metadata) => {
    const content = notebook(metadata, 'print 1');
    expect(await ask('jupyter-notebook', { content })).toContain('written in Python 2');
  });

  test('and in the ask may have a kernel of that name that was of Python 3', async () => {
    const metadata = {
      kernelspec: { name: 'python2' },
      language_info: { name: 'python', version: '3.11.2' },
    };
    expect(await ask('jupyter-notebook', { content: notebook(metadata, 'print(1)') })).toMatch(
      /"?result"?: ['"]?YES/,
    );
  });

  test('that is there is offered and runs', async () => {
    const spec = { program: `http://${host}/plain.py` };
    const answer = await service.ask({ task: { type: `${TYPE}/python-program`, spec } });
    expect(answer).not.toContain('Nobody checked');
    expect((await service.follow(answer)).last).toBe('COMPLETED');
  });

  test.each([
    ['is not there', '/gone.py', 'HTTP status 404'],
    ['does not come in time', '/silent.py', 'no complete answer within 2 s'],
  ])('that %s is offered with a note', async (_what, program, why) => {
    const answer = await ask('python-program', { program });
    expect(answer).toMatch(/"?result"?: ['"]?YES/);
    expect(answer).toContain('Nobody checked what the code imports');
    expect(answer).toContain(why);
    const unchecked = await ask('python-program', { program, 'check-imports': false });
    expect(unchecked).not.toContain('Nobody checked');
  });

  test('behind a forbidden redirect is refused', async () => {
    const answer = await ask('python-program', { program: '/away.py' });
    expect(answer).toContain('url-forbidden');
    expect(answer).toContain('task.spec.program');
  });
});

describe('requirements at a URL', () => {
  test('are judged, and the offer repeats the URL', async () => {
    const refused = await ask('python-program', { source: '', requirements: '/requirements.txt' });
    expect(refused).toContain('package-missing');
    expect(refused).toContain('Line 2 of the requirements names it.');
    const offered = await ask('python-program', { source: '', requirements: '/none.txt' });
    expect(offered).toMatch(/"?result"?: ['"]?YES/);
    expect(offered).toContain(`http://${host}/none.txt`);
  });

  test.each([
    ['/gone.txt', 'source-unread', 'HTTP status 404'],
    ['/silent.txt', 'source-unread', 'no complete answer within 2 s'],
    ['/wrong.txt', 'task-spec-invalid', 'line 2 of requirements'],
  ])('are refused: %s', async (requirements, code, text) => {
    const answer = await ask('python-program', { source: '', requirements });
    expect(answer).toContain(code);
    expect(answer).toContain('task.spec.requirements');
    expect(answer).toContain(text);
  });

  test('are refused where the policy forbids them', async () => {
    const spec = { source: '', requirements: 'http://127.0.0.1:1/requirements.txt' };
    expect(await ask('python-program', spec)).toContain('url-forbidden');
  });
});

/** What the answer would be; paths are those of the server of this test. */
function ask(type: string, spec: Readonly<Record<string, unknown>>): Promise<string> {
  const whole = Object.fromEntries(
    Object.entries(spec).map(([key, value]) => [
      key,
      typeof value === 'string' && value.startsWith('/') ? `http://${host}${value}` : value,
    ]),
  );
  return send('/request?dry-run=true', { task: { type: `${TYPE}/${type}`, spec: whole } });
}

async function send(path: string, document: object): Promise<string> {
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/yaml' },
    body: JSON.stringify(document),
  });
  return response.text();
}

function notebook(metadata: object, ...cells: readonly string[]): string {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata,
    cells: cells.map((source) => ({
      cell_type: 'code',
      metadata: {},
      source,
      outputs: [],
      execution_count: null,
    })),
  });
}
