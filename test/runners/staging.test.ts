import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Runner } from '../../src/runners/port.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import type { Content, ExternalSource } from '../../src/storage/content.ts';
import { directoryBackend } from '../../src/storage/directory.ts';
import { s3Backend, s3Client } from '../../src/storage/s3.ts';
import { createStager, type StorageAdapter } from '../../src/storage/stager.ts';
import { parseObjectId } from '../../src/words/ids.ts';
import { mebibytes } from '../../src/words/units.ts';
import { HELD, newJob, removeRoot, run, shell, temporaryRoot, until } from './workloads.ts';

describe('the volumes of a job', () => {
  let root: string;
  let kept: string;
  let runner: Runner;
  beforeAll(async () => {
    root = temporaryRoot();
    kept = await mkdtemp('/var/tmp/runner-kept-');
    const adapters = new Map([
      [
        'words',
        {
          load: async ({
            spec,
            directory,
          }: {
            spec: Readonly<Record<string, unknown>>;
            directory: string;
          }) => writeFile(join(directory, 'words'), String(spec['text'])),
          save: async ({ directory }: { directory: string }) =>
            writeFile(join(kept, 'saved'), await readFile(join(directory, 'words'))),
        },
      ],
    ]);
    const stager = createStager({
      backends: new Map([['disc', directoryBackend(kept)]]),
      s3: new Map(),
      urls: { allowHosts: [], fileRoots: [] },
      adapters,
    });
    runner = processRunner({
      jobsRoot: join(root, 'jobs'),
      urls: { allowHosts: [], fileRoots: [] },
      stager,
    });
  });
  afterAll(async () => {
    await runner.close();
    removeRoot(root);
    await rm(kept, { recursive: true });
  });

  const object = (): Extract<Content, { kind: 'managed' }> => {
    const id = parseObjectId(newJob());
    if (id === undefined) throw new Error('not a UUID');
    return { kind: 'managed', name: 'v', backend: 'disc', object: id, size: mebibytes(1) };
  };
  const words = (text: string): Content => ({
    kind: 'external',
    name: 'v',
    source: { kind: 'plugin', name: 'words', spec: { text } },
  });
  const volumes = [{ name: 'v', path: 'v', mode: 'rw' }] as const;
  const readOnly = [{ name: 'v', path: 'v', mode: 'r' }] as const;

  test('are stored after a failed run too, since a checkpoint matters most then', async () => {
    const content = object();
    expect(
      await run(runner, shell('echo half > v/state; exit 1', { volumes, contents: [content] })),
    ).toMatchObject({ kind: 'failed', code: 'task-failed' });
    expect(await readFile(join(kept, content.object, 'state'), 'utf8')).toBe('half\n');
  });

  test('that are mounted r are not stored, whatever the job does to them', async () => {
    const content = object();
    await mkdir(join(kept, content.object));
    await writeFile(join(kept, content.object, 'old'), 'old');
    expect(
      await run(
        runner,
        shell('chmod u+w v; rm -f v/old; echo new > v/new; true', {
          volumes: readOnly,
          contents: [content],
        }),
      ),
    ).toMatchObject({
      kind: 'completed',
      results: expect.not.arrayContaining([expect.objectContaining({ path: 'work/v/old' })]),
    });
    expect(await readdir(join(kept, content.object))).toEqual(['old']);
  });

  test('that a plug-in fills go back to it when they are mounted rw', async () => {
    expect(
      await run(runner, shell('echo world >> v/words', { volumes, contents: [words('hello ')] })),
    ).toMatchObject({ kind: 'completed' });
    expect(await readFile(join(kept, 'saved'), 'utf8')).toBe('hello world\n');
  });

  describe('that are no longer folders of the job', () => {
    const elsewhere = (): string => join(root, 'elsewhere');
    beforeAll(async () => {
      await mkdir(join(elsewhere(), 'v'), { recursive: true });
      await writeFile(join(elsewhere(), 'v', 'key'), 'secret');
    });

    test.each([
      ['a link is in place of one', 'v', 'rm -r v; ln -s "$OTHER/v" v'],
      ['a link is in place of a folder around one', 'a/v', 'rm -r a; ln -s "$OTHER" a'],
      ['a link leads to another folder of the job', 'a/v', 'mv a b; ln -s b a'],
      ['a file is in place of one', 'v', 'rm -r v; echo > v'],
      ['one is in place of itself', 'v', 'rm -r v; ln -s v v'],
      ['one is gone', 'v', 'rm -r v'],
    ])('are not stored, and what was stored stays: %s', async (_how, path, script) => {
      const content = object();
      await mkdir(join(kept, content.object));
      await writeFile(join(kept, content.object, 'old'), 'old');
      const work = shell(script, {
        volumes: [{ name: 'v', path, mode: 'rw' }],
        contents: [content],
        environment: { OTHER: elsewhere() },
      });
      expect(await run(runner, work)).toMatchObject({
        kind: 'failed',
        code: 'storage-save-failed',
        message: 'the volume v is no longer a folder of the job',
        transient: false,
      });
      expect(await readdir(join(kept, content.object))).toEqual(['old']);
    });

    test('do not keep the others from being stored', async () => {
      const [lost, stored] = [object(), { ...object(), name: 'w' }];
      const both = [...volumes, { name: 'w', path: 'w', mode: 'rw' }] as const;
      const work = shell('rm -r v; ln -s w v; echo new > w/new', {
        volumes: both,
        contents: [lost, stored],
      });
      expect(await run(runner, work)).toMatchObject({ code: 'storage-save-failed' });
      expect(await readdir(kept)).not.toContain(lost.object);
      expect(await readdir(join(kept, stored.object))).toEqual(['new']);
    });

    test('do not go back to a plug-in', async () => {
      await rm(join(kept, 'saved'), { force: true });
      const work = shell('mv v b; ln -s b v', { volumes, contents: [words('hello')] });
      expect(await run(runner, work)).toMatchObject({ code: 'storage-save-failed' });
      expect(await readdir(kept)).not.toContain('saved');
    });
  });

  test('that exceed the scratch space end the job before it starts', async () => {
    const outcome = await run(
      runner,
      shell('touch began', { volumes, contents: [words('x'.repeat(2_000_000))], scratch: 1 }),
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'storage-too-large',
      message: expect.stringContaining('1048576 bytes'),
    });
  });

  test('of a store that this executor lacks end the job, and the message names it', async () => {
    expect(
      await run(
        runner,
        shell('true', { volumes, contents: [{ ...object(), backend: 'elsewhere' }] }),
      ),
    ).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringContaining("'elsewhere'"),
    });
  });

  test('are stored by an executor that takes over a run after kill -9', async () => {
    const content = object();
    const work = shell('sleep 0.4; echo late > v/late', { volumes, contents: [content] });
    await runner.submit(work);
    // A second runner shares only the directories with the first one.
    const stager = createStager({
      backends: new Map([['disc', directoryBackend(kept)]]),
      s3: new Map(),
      urls: { allowHosts: [], fileRoots: [] },
      adapters: new Map(),
    });
    const other = processRunner({
      jobsRoot: join(root, 'jobs'),
      urls: { allowHosts: [], fileRoots: [] },
      stager,
    });
    let seen = await other.look(work.job);
    while (seen.state === 'running') seen = await other.look(work.job);
    expect(seen).toMatchObject({ state: 'ended', outcome: { kind: 'completed' } });
    expect(await readFile(join(kept, content.object, 'late'), 'utf8')).toBe('late\n');
    await other.close();
  });

  test('that do not come hold no job that is to be stopped', async () => {
    let asked = 0;
    const server = createServer(() => void (asked += 1));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const host = `127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
    const endpoint = `http://${host}`;
    const urls = { allowHosts: [host], fileRoots: [] };
    const account = { endpoint, region: 'us-east-1', credentials: undefined };
    const adapter: StorageAdapter = {
      load: async ({ signal }) => void (await fetch(endpoint, { signal: signal ?? null })),
    };
    const stager = createStager({
      backends: new Map([['kept', s3Backend(account, 'kept', '')]]),
      s3: new Map([[endpoint, s3Client(account)]]),
      urls,
      adapters: new Map([['own', adapter]]),
    });
    const waiting = processRunner({ jobsRoot: join(root, 'waiting'), urls, stager });
    const sources: readonly ExternalSource[] = [
      { kind: 'http', location: endpoint },
      { kind: 'rucio', endpoint, scope: 'survey', object: 'm31' },
      { kind: 's3', endpoint, bucket: 'data', what: { prefix: '' } },
      { kind: 'plugin', name: 'own', spec: {} },
    ];
    const all: readonly Content[] = [
      ...sources.map((source) => ({ kind: 'external', name: 'v', source }) as const),
      { ...object(), backend: 'kept' },
    ];
    for (const [index, content] of all.entries()) {
      const stopping = new AbortController();
      const contents = [content];
      const claim = { ...HELD, stopped: stopping.signal };
      const work = { ...shell('true', { volumes, contents }), claim };
      const submitted = waiting.submit(work);
      await until(() => asked > index, 'a request for the data');
      stopping.abort();
      await waiting.stop(work.job, 'cancelled');
      await submitted;
      expect(await waiting.look(work.job)).toMatchObject({
        state: 'ended',
        outcome: { kind: 'stopped', reason: 'cancelled' },
      });
    }
    await waiting.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
});
