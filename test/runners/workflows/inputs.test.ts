import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  fetcher,
  fetchInputs,
  fetchWorkflow,
  type JobFetcher,
} from '../../../src/runners/workflows/fetch.ts';
import { interpreterOfType } from '../../../src/runners/workflows/interpreter.ts';
import type { WorkflowTask } from '../../../src/tasks/task.ts';
import type { WorkflowType } from '../../../src/workflows/languages.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { removeRoot, temporaryRoot } from '../workloads.ts';

const VIEW = { task: '/task', work: '/work' };
let root = '';
let folder = '';
beforeAll(() => {
  root = temporaryRoot();
  folder = join(root, 'jobs/one/task');
});
afterAll(() => removeRoot(root));

describe('the inputs of a workflow', () => {
  test('are files of their own, also where their URLs differ only in a query', async () => {
    const [one, two] = ['https://h/get?id=1', 'https://h/get?id=2'];
    const placed = await place({ one: fileAt(one), two: fileAt(two), again: fileAt(one) });
    const { one: first, two: second, again } = placed;
    expect(again).toEqual(first);
    expect([contentOf(first), contentOf(second)]).toEqual([one, two]);
  });

  test('may be directories at URLs, which become folders with their files', async () => {
    const listing = [fileAt('https://h/d/a'), { ...fileAt('https://h/d/b'), basename: 'c' }];
    const inner = {
      class: 'Directory',
      location: 'https://h/d/e',
      listing: [fileAt('https://h/e/f')],
    };
    const { d } = await place({
      d: { class: 'Directory', location: 'https://h/d', listing: [...listing, inner] },
    });
    expect(d).toEqual({ class: 'Directory', basename: 'd', path: expect.stringMatching(/\/d$/) });
    expect(contentOf(d, 'a')).toBe('https://h/d/a');
    expect(contentOf(d, 'c')).toBe('https://h/d/b');
    expect(contentOf(d, 'e/f')).toBe('https://h/e/f');
  });

  test.each([
    '/task/../../../secret',
    '/task/inputs/0/../../../../../secret',
    '/task/directories/../../../../secret',
    '/task/inputs/0/..',
  ])('move no file of the host into a job: %s', async (path) => {
    const secret = join(root, 'secret');
    writeFileSync(secret, 'mine');
    for (const entry of [
      { path },
      { class: 'Directory', listing: [], path },
      { class: 'Other', path },
    ])
      await place({ d: { class: 'Directory', location: 'https://h/d', listing: [entry] } });
    expect(readFileSync(secret, 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'directories/0/d/secret'))).toBe(false);
  });

  test('that are too large end the job, which names the file, the limit and a way out', async () => {
    const large = join(root, 'large.fits');
    writeFileSync(large, '');
    truncateSync(large, 20 * 2 ** 20 + 1);
    const url = pathToFileURL(large).href;
    const fetched = fetcher({ allowHosts: [], fileRoots: [root] }, { scratch: mebibytes(100) });
    const fetching = fetchInputs(taskWith({ a: fileAt(url) }), root, VIEW, fetched);
    await expect(fetching).rejects.toMatchObject({
      code: 'fetch-too-large',
      message: `${url}: the file is larger than 20971520 bytes; give the path of a file in a volume instead`,
    });
  });

  test('have names that a file system takes', async () => {
    const { long } = await place({ long: fileAt(`https://h/${'%E4%B8%AD'.repeat(100)}`) });
    expect(contentOf(long)).toContain('https://h/');
  });
});

test('the fragment of a URL names no file, but a process in one', async () => {
  const task = taskWith({}, 'https://h/packed.cwl#align');
  const packed = 'cwlVersion: v1.2\n$graph:\n- {class: Operation, id: align}\n';
  const found = await fetchWorkflow(task, join(root, 'packed'), '/task', async () =>
    answer(packed),
  );
  expect(found).toEqual({ document: 'workflow/packed.cwl', fragment: '#align', version: 'v1.2' });
  const placed = {
    document: `/task/${found.document}`,
    fragment: found.fragment,
    inputs: '/task/inputs.json',
    work: '/work',
    provenance: undefined,
    limits: { cores: millicores(1000), memory: mebibytes(1000) },
    steps: undefined,
  };
  const namedBy = (type: WorkflowType) =>
    interpreterOfType(type)
      .words(placed)
      .filter((word) => word.includes('packed.cwl'));
  expect(namedBy('cwl-workflow')).toEqual(['/task/workflow/packed.cwl#align']);
  expect(namedBy('snakemake-workflow')).toEqual(['/task/workflow/packed.cwl']);
  expect(namedBy('nextflow-workflow')).toEqual(['/task/workflow/packed.cwl']);
});

test('a document that is not there ends the job, which names it', async () => {
  const url = pathToFileURL(join(root, 'main.cwl')).href;
  writeFileSync(join(root, 'main.cwl'), 'cwlVersion: v1.2\nsteps: {a: {run: gone.cwl}}\n');
  const fetched = fetcher({ allowHosts: [], fileRoots: [root] }, { scratch: mebibytes(100) });
  const fetching = fetchWorkflow(taskWith({}, url), join(root, 'gone'), '/task', fetched);
  await expect(fetching).rejects.toMatchObject({
    code: 'fetch-failed',
    message: `${url.replace('main', 'gone')}: this file cannot be read`,
  });
});

test('a module of Nextflow that is a folder comes with its templates, and a missing one is named', async () => {
  const here = join(root, 'flow');
  mkdirSync(join(here, 'align/templates'), { recursive: true });
  const included = `include { a } from './align'\n`;
  writeFileSync(join(here, 'main.nf'), `${included}workflow { a() }\n`);
  writeFileSync(join(here, 'align/main.nf'), `process a {\n script: template 'a.sh'\n}\n`);
  writeFileSync(join(here, 'align/templates/a.sh'), 'true\n');
  const task: WorkflowTask = {
    type: 'nextflow-workflow',
    workflow: { kind: 'url', url: pathToFileURL(join(here, 'main.nf')).href },
    inputs: {},
  };
  const fetched = fetcher({ allowHosts: [], fileRoots: [root] }, { scratch: mebibytes(100) });
  const [draft, again] = [join(root, 'nextflow'), join(root, 'nextflow-again')];
  const { document } = await fetchWorkflow(task, draft, '/task', fetched);
  const script = join(draft, document, '../align/templates/a.sh');
  expect(readFileSync(script, 'utf8')).toBe('true\n');
  writeFileSync(join(here, 'align/main.nf'), `include { b } from './gone'\n`);
  await expect(fetchWorkflow(task, again, '/task', fetched)).rejects.toMatchObject({
    message: `${pathToFileURL(join(here, 'align/gone.nf')).href}: this file cannot be read`,
  });
});

test('a workflow whose documents would be one file is refused', async () => {
  const main = 'cwlVersion: v1.2\n$graph:\n- {$import: "a.cwl?x/y"}\n- {$import: "a.cwl?x_y"}\n';
  const task = taskWith({}, 'https://h/main.cwl');
  const fetched: JobFetcher = async (url) =>
    answer(url.endsWith('main.cwl') ? main : 'class: Workflow\nid: x\n');
  await expect(fetchWorkflow(task, join(root, 'clash'), '/task', fetched)).rejects.toMatchObject({
    code: 'workflow-invalid',
  });
});

test('addresses in a document lead to where the job sees what was fetched, not to where it is prepared', async () => {
  const main =
    'cwlVersion: v1.2\nclass: Workflow\nsteps: {a: {run: "https://h/b/tool.cwl", in: {}, out: []}}\n';
  const task = taskWith({}, 'https://h/main.cwl');
  const fetched: JobFetcher = async (url) =>
    answer(url.endsWith('main.cwl') ? main : 'cwlVersion: v1.2\nclass: Operation\n');
  const draft = join(root, 'draft');
  const { document } = await fetchWorkflow(task, draft, '/jobs/one/task', fetched);
  const text = readFileSync(join(draft, document), 'utf8');
  expect(text).toContain('file:///jobs/one/task/workflow/b/tool.cwl');
  expect(existsSync(join(draft, 'workflow/b/tool.cwl'))).toBe(true);
});

test('a default elsewhere is fetched by nobody where an input is in its place', async () => {
  const elsewhere = '{ type: File, default: { class: File, location: "https://other/a.fits" } }';
  const packed = `cwlVersion: v1.2\n$graph:\n- {class: Operation, id: x, inputs: {d: ${elsewhere}}}\n`;
  const asked: string[] = [];
  const fetched: JobFetcher = async (url) => {
    asked.push(url);
    return answer(packed);
  };
  const url = 'https://h/packed.cwl#x';
  const given = taskWith({ d: { class: 'File', contents: '' } }, url);
  await fetchWorkflow(given, join(root, 'given'), '/task', fetched);
  expect(asked).toEqual(['https://h/packed.cwl']);
  await expect(
    fetchWorkflow(taskWith({}, url), join(root, 'none'), '/task', fetched),
  ).rejects.toMatchObject({ code: 'workflow-reference' });
});

let count = 0;

async function place(inputs: Readonly<Record<string, unknown>>) {
  count += 1;
  folder = join(root, `jobs/${count}/task`);
  mkdirSync(folder, { recursive: true });
  const placed = await fetchInputs(taskWith(inputs), folder, VIEW, async (url) => answer(url));
  const { one, two, again, d, long } = Object(placed);
  return { one, two, again, d, long };
}

function taskWith(
  inputs: Readonly<Record<string, unknown>>,
  url = 'https://h/none.cwl',
): WorkflowTask {
  return { type: 'cwl-workflow', workflow: { kind: 'url', url }, inputs };
}

function fileAt(location: string): object {
  return { class: 'File', location };
}

function contentOf({ path }: { readonly path: string }, below = ''): string {
  return readFileSync(join(folder, path.replace(/^\/task\//, ''), below), 'utf8');
}

async function answer(text: string) {
  return { ok: true, content: Buffer.from(text), mediaType: undefined } as const;
}
