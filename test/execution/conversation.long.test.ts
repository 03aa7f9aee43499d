import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  fetchPart,
  fetchResult,
  firstOffer,
  followPhases,
  sendAccept,
  sendAsk,
  sendJob,
} from '../../src/cli/conversation.ts';
import { startWholeService, type Told, type WholeService } from '../harness/whole-service.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';
function destination(runner: string, types: string[]): object {
  return { runner, 'task-types': types, cores: 4, memory: '8GiB', scratch: '80GiB' };
}
const RULES = {
  destinations: { notebooks: { runner: 'notebook' }, programs: { runner: 'process' } },
};

function notebook(...cells: string[]): string {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: cells.map((source, index) => ({
      id: `c${index}`,
      cell_type: 'code',
      source,
      metadata: {},
      outputs: [],
      execution_count: null,
    })),
  });
}

describe('a conversation from the question to the results, executed for real', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: (folder) => ({
        rules: ['rules.yml'],
        offers: { duration: 'PT10M' },
        fetch: { 'file-roots': ['notebooks', folder] },
        destinations: {
          notebooks: destination('notebook', [
            'jupyter-notebook',
            'python-program',
            'comoving-distance',
          ]),
          programs: destination('process', ['executable']),
        },
      }),
      rules: RULES,
      environment: {
        PLUGINS_DIR: fileURLToPath(new URL('../../docs/examples/plugins', import.meta.url)),
      },
    });
  });
  afterAll(async () => {
    await service?.close();
  });

  /**
   * Asks, accepts the first offer, starts and follows the job.
   * @returns its URL and the phases it went through
   */
  const run = (type: string, spec: object): Promise<Told> =>
    service.run({ task: { type: `${TYPE}/${type}`, spec } });

  test('a notebook comes back executed, as a notebook and as a page', async () => {
    const done = await run('jupyter-notebook', {
      content: notebook('x = 6', 'print(x * 7)', 'x ** 2'),
    });
    expect(done.last).toBe('COMPLETED');
    const executed: unknown = JSON.parse(await fetchResult(done.job, 'notebook'));
    expect(executed).toMatchObject({
      nbformat: 4,
      cells: [
        { execution_count: 1, outputs: [] },
        {
          execution_count: 2,
          outputs: [{ output_type: 'stream', name: 'stdout', text: expect.anything() }],
        },
        {
          execution_count: 3,
          outputs: [{ output_type: 'execute_result', data: { 'text/plain': expect.anything() } }],
        },
      ],
    });
    expect(JSON.stringify(executed)).toContain('42');
    expect(await fetchResult(done.job, 'html')).toContain('42');
  });

  test('a notebook whose cell raises ends in ERROR, with traceback and notebook up to there', async () => {
    const done = await run('jupyter-notebook', {
      content: notebook('a = 0', '1 / a', 'never = 1'),
    });
    expect(done.last).toBe('ERROR');
    const error = await fetchPart(done.job, 'error');
    expect(error).toContain('notebook-cell-failed');
    expect(error).toContain('ZeroDivisionError');
    expect(error).toContain('Traceback');
    expect(await fetchPart(done.job, '')).toContain(
      '<uws:errorSummary type="fatal" hasDetail="true">',
    );
    expect(await fetchResult(done.job, 'notebook')).toContain('ZeroDivisionError');
  });

  test('the worker fetches a notebook from a file: URL below the root that the site lends', async () => {
    await writeFile(join(service.folder, 'mine.ipynb'), notebook('print("fetched")'), {
      mode: 0o644,
    });
    const done = await run('jupyter-notebook', {
      notebook: pathToFileURL(join(service.folder, 'mine.ipynb')).href,
    });
    expect(done.last).toBe('COMPLETED');
    expect(await fetchResult(done.job, 'notebook')).toContain('fetched');
  });

  test('a Python program runs with its arguments', async () => {
    const done = await run('python-program', {
      source: 'import sys\nprint("+".join(sys.argv[1:]))\nopen("out.txt", "w").write("kept")',
      arguments: ['a', 'b c'],
    });
    expect(done.last).toBe('COMPLETED');
    expect(await fetchResult(done.job, 'stdout')).toBe('a+b c\n');
    expect(await fetchPart(done.job, 'results')).toContain('out.txt');
  });

  test('the plug-in of docs/guides/plugins.md is asked for, and computes, as the page says', async () => {
    const page = await readFile(new URL('../../docs/guides/plugins.md', import.meta.url), 'utf8');
    const done = await service.follow(
      await sendAsk(service.url, /```yaml plugin-ask\n([^]*?)```/.exec(page)?.[1] ?? ''),
    );
    expect(done.last).toBe('COMPLETED');
    const output = await fetchResult(done.job, 'stdout');
    expect(output).toMatch(/^\d+\.\d Mpc\n$/);
    expect(page).toContain(`\`${output.trim()}\``);
    const offer = await (await fetch(done.job.replace('/jobs/', '/offers/'))).text();
    expect(offer).toContain('type: https://example.org/task-type/comoving-distance');
    expect(offer).toContain('redshift: 1');
  });

  test('a program runs by its argv, without a shell, and leaves its streams and files', async () => {
    const done = await run('executable', {
      command: ['sh', '-c', 'echo "$0 $GREETING"; echo oops >&2; echo data > data.txt', '$(id)'],
      environment: { GREETING: 'hello' },
    });
    expect(done.last).toBe('COMPLETED');
    expect(await fetchResult(done.job, 'stdout')).toBe('$(id) hello\n');
    expect(await fetchResult(done.job, 'stderr')).toBe('oops\n');
    expect(await fetchPart(done.job, 'results')).toContain('data.txt');
  });

  test('a program that fails ends in ERROR with its exit code and the end of its stderr', async () => {
    const done = await run('executable', {
      command: ['sh', '-c', 'echo no such galaxy >&2; exit 3'],
    });
    expect(done.last).toBe('ERROR');
    expect(await fetchPart(done.job, 'error')).toMatch(/^task-failed: .*3[^]*no such galaxy/);
  });

  test('a running job is aborted with everything it started, and its capacity is free again', async () => {
    const offer = firstOffer(
      await sendAsk(
        service.url,
        JSON.stringify({
          task: {
            type: `${TYPE}/executable`,
            spec: { command: ['sh', '-c', 'setsid sleep 300 & sleep 300'] },
          },
          resources: { compute: [{ 'min-cores': 4 }] },
        }),
      ),
    );
    await sendAccept(offer);
    const job = await sendJob(offer);
    for await (const phase of followPhases(job)) {
      if (phase !== 'EXECUTING') continue;
      const response = await fetch(`${job}/phase`, {
        method: 'POST',
        body: new URLSearchParams({ PHASE: 'ABORT' }),
        redirect: 'manual',
      });
      expect(response.status).toBe(303);
    }
    expect(await fetchPart(job, 'phase')).toBe('ABORTED');
    const again = await sendAsk(
      service.url,
      JSON.stringify({
        task: { type: `${TYPE}/executable`, spec: { command: ['true'] } },
        resources: { compute: [{ 'min-cores': 4 }] },
      }),
    );
    expect(firstOffer(again).ident).not.toBe(offer.ident);
    await fetch(firstOffer(again).href, {
      method: 'POST',
      body: 'status: REJECTED',
      headers: { 'Content-Type': 'application/yaml' },
    });
  });

  test('a run that is longer than offered is stopped: ABORTED, with a summary that says so', async () => {
    const done = await service.run({
      task: { type: `${TYPE}/executable`, spec: { command: ['sleep', '300'] } },
      time: { duration: 'PT3S' },
    });
    expect(done.last).toBe('ABORTED');
    expect(await fetchPart(done.job, 'error')).toContain('wall-time-exceeded');
  });

  test('a destroyed job is gone, with its files', async () => {
    const { job } = await run('executable', { command: ['true'] });
    expect((await fetch(job, { method: 'DELETE', redirect: 'manual' })).status).toBe(303);
    expect((await fetch(job)).status).toBe(404);
  });
});
