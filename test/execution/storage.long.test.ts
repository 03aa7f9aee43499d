import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { fetchPart, fetchResult, firstOffer, sendAsk } from '../../src/cli/conversation.ts';
import { s3Client } from '../../src/storage/s3.ts';
import { startS3, type TestS3 } from '../harness/s3.ts';
import { startWholeService, type Told, type WholeService } from '../harness/whole-service.ts';
import { until } from '../runners/workloads.ts';

const TYPE = 'https://www.purl.org/ivoa-net';
const EXECUTABLE = `${TYPE}/task-type/executable`;
const STORAGE = `${TYPE}/storage-type`;
const destination = { cores: 4, memory: '8GiB', scratch: '80GiB' };

type Stored = {
  readonly objectid: string;
  readonly type: string;
  readonly endpoint?: string;
  readonly lifecycle: string;
  readonly lifetime?: string;
  readonly size: string;
};

describe('volumes that outlive their jobs, and data from elsewhere', () => {
  let service: WholeService;
  let s3: TestS3;
  let open: TestS3;
  let web: Server;
  let webUrl = '';
  beforeAll(async () => {
    s3 = await startS3('data');
    open = await startS3('pub');
    await s3Client(open.account).send(
      new PutObjectCommand({ Bucket: 'pub', Key: 'deep/sky.txt', Body: 'public' }),
    );
    web = createServer((request, response) => {
      if (request.url === '/replicas/survey/m31.txt') {
        const urls = {
          'root://far.example.org//m31': { priority: 1 },
          [`${webUrl}/m31.txt`]: { priority: 2 },
        };
        const md5 = 'c77c94c20edf86a105433f4bc671d348';
        response.end(replica({ name: 'm31.txt', bytes: 9, md5, pfns: urls }));
      } else if (request.url === '/replicas/survey/changed.txt') {
        const md5 = 'd41d8cd98f00b204e9800998ecf8427e';
        const pfns = { [`${webUrl}/m31.txt`]: { priority: 1 } };
        response.end(replica({ name: 'changed.txt', bytes: 9, md5, pfns }));
      } else if (request.url === '/replicas/survey/set') {
        const pfns = { [`${webUrl}/m31.txt`]: { priority: 1 } };
        response.end(['a', 'b'].map((name) => replica({ name, pfns })).join(''));
      } else if (request.url === '/replicas/survey/far.txt') {
        const pfns = { 'root://far.example.org//far': { priority: 1 } };
        response.end(replica({ name: 'far.txt', pfns }));
      } else if (request.url === '/m31.txt') response.end('andromeda');
      else response.writeHead(404).end();
    });
    await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
    const address = web.address();
    webUrl = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
    const client = s3Client(s3.account);
    for (const [Key, Body] of [
      ['images/a.txt', 'first'],
      ['images/deep/b.txt', 'second'],
      ['other.txt', 'third'],
    ] as const) {
      await client.send(new PutObjectCommand({ Bucket: 'data', Key, Body }));
    }
    const { endpoint } = s3.account;
    service = await startWholeService({
      site: async (folder) => {
        const credentials = join(folder, 'keys');
        await writeFile(
          credentials,
          '[default]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n',
        );
        return {
          rules: ['rules.yml'],
          offers: { duration: 'PT3M' },
          fetch: {
            'allow-hosts': [new URL(webUrl).host],
            s3: [
              { endpoint, credentials, buckets: ['data'] },
              { endpoint: open.account.endpoint, buckets: ['pub'] },
            ],
          },
          storage: [
            {
              name: 'archive',
              type: 'directory',
              path: join(folder, 'archive'),
              size: '10GiB',
              'max-lifetime': 'P7D',
              for: ['programs'],
            },
            {
              name: 'bucket',
              type: 's3',
              endpoint,
              bucket: 'data',
              prefix: 'managed/',
              credentials,
              size: '10GiB',
              for: ['notebooks'],
            },
          ],
          destinations: {
            notebooks: { ...destination, runner: 'notebook', 'task-types': ['python-program'] },
            programs: {
              ...destination,
              runner: 'process',
              'task-types': ['executable'],
              compute: { observatory: { altitude: 2600, site: 'paranal' } },
            },
          },
        };
      },
      rules: {
        tools: { 'executable/.*': { rules: [{ if: 'input_size > 3', fail: 'too much data' }] } },
        destinations: { notebooks: { runner: 'notebook' }, programs: { runner: 'process' } },
      },
      environment: {
        PLUGINS_DIR: fileURLToPath(new URL('../../docs/examples/plugins', import.meta.url)),
      },
    });
  });
  afterAll(async () => {
    // First what would keep a failed start from ending.
    await new Promise((done) => web.close(done));
    await s3.close();
    await open.close();
    await service?.close();
  });

  type Item = Readonly<Record<string, unknown>>;
  const program = (script: string): object => ({
    type: EXECUTABLE,
    spec: { command: ['sh', '-c', script] },
  });
  const ask = (task: object, item: Item, volume: Item, compute: Item = {}): Promise<string> =>
    service.ask({
      task,
      resources: {
        compute: [{ ...compute, volumes: [{ name: 'one', path: 'data', ...volume }] }],
        storage: [{ name: 'one', ...item }],
      },
    });
  const reasonsOf = (answer: string): readonly { code: string; path: string; text: string }[] =>
    Object(load(answer)).response.reasons;
  const storageOf = (answer: string): Stored =>
    Object(load(answer)).response.offers[0].request.resources.storage[0];
  const follow = (answer: string): Promise<Told> => service.follow(answer);
  const persistent = { type: `${STORAGE}/persistent`, size: '1Gb', lifetime: '1D' };
  const expireAll = () =>
    service.db.database.$executeRaw`
        UPDATE storage_reservation SET starts_at = least(starts_at, clock_timestamp()),
          ends_at = clock_timestamp() WHERE state = 'FIRM'`;

  test('the printed volume of an offer that was not accepted is a new one like it, at the same place', async () => {
    const offered = async (item: Item): Promise<Stored> => {
      const answer = await ask(program('true'), item, { mode: 'rw' });
      for (const { href } of Object(load(answer)).response.offers ?? [])
        await fetch(href, {
          method: 'POST',
          headers: { 'Content-Type': 'application/yaml' },
          body: 'status: REJECTED',
        });
      return storageOf(answer);
    };
    const stored = await offered(persistent);
    const again = await offered(stored);
    expect(again).toEqual({ ...stored, objectid: expect.any(String) });
    expect(again.objectid).not.toBe(stored.objectid);
    // Another place is no place of the site.
    expect(
      reasonsOf(
        await ask(program('true'), { ...stored, endpoint: 'https://elsewhere.example.org' }, {}),
      ),
    ).toContainEqual(expect.objectContaining({ code: 'storage-not-here' }));
    const { lifetime: _lifetime, ...kept } = stored;
    expect(reasonsOf(await ask(program('true'), kept, {}))).toContainEqual(
      expect.objectContaining({ code: 'unknown-object', path: 'resources.storage[0].objectid' }),
    );
  });

  test('what one job writes to a persistent volume, a later one that names its object reads', async () => {
    const first = await ask(
      program('mkdir data/deep && echo hello > data/deep/out.txt'),
      persistent,
      { mode: 'rw' },
    );
    const stored = storageOf(first);
    expect(stored).toMatchObject({
      type: `${STORAGE}/directory`,
      lifecycle: 'managed',
      lifetime: 'P1D',
      size: '1Gb',
      objectid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    // Allocated only after accept.
    await expect(readdir(join(service.folder, 'archive', stored.objectid))).rejects.toThrow(
      'ENOENT',
    );
    const written = await follow(first);
    expect(written.last).toBe('COMPLETED');
    expect(
      await readFile(join(service.folder, 'archive', stored.objectid, 'deep', 'out.txt'), 'utf8'),
    ).toBe('hello\n');
    expect(await fetchPart(written.job, 'results')).not.toContain('out.txt');
    // The results of a destroyed job stay until their lifetime is over.
    await fetch(written.job, { method: 'DELETE', redirect: 'manual' });

    const kept = { type: `${STORAGE}/persistent`, objectid: stored.objectid };
    const second = await ask(
      program('cat data/deep/out.txt; echo more >> data/deep/out.txt'),
      kept,
      { mode: 'rw' },
    );
    expect(storageOf(second)).toMatchObject({
      type: `${STORAGE}/directory`,
      objectid: stored.objectid,
      lifecycle: 'managed',
      size: '1Gb',
    });
    expect(await fetchResult((await follow(second)).job, 'stdout')).toBe('hello\n');
    const third = await follow(
      await ask(program('cat data/deep/out.txt; echo no > data/new'), kept, { mode: 'r' }),
    );
    expect(await fetchResult(third.job, 'stdout')).toBe('hello\nmore\n');
    expect(await readdir(join(service.folder, 'archive', stored.objectid))).toEqual(['deep']);

    // As the offer printed it, it is the same object.
    const printed = await ask(program('cat data/deep/out.txt'), stored, { mode: 'r' });
    expect(storageOf(printed)).toMatchObject({ objectid: stored.objectid, size: '1Gb' });
    expect(await fetchResult((await follow(printed)).job, 'stdout')).toBe('hello\nmore\n');
    expect(reasonsOf(await ask(program('true'), { ...stored, size: '2Gb' }, {}))).toContainEqual(
      expect.objectContaining({
        code: 'storage-value-invalid',
        path: 'resources.storage[0].size',
        asked: '2Gb',
        limit: '1Gb',
      }),
    );

    await expireAll();
    await until(
      async () => !(await readdir(join(service.folder, 'archive'))).includes(stored.objectid),
      'the object is removed',
    );
    await until(
      async () =>
        (
          await service.db.database.storageReservation.findFirst({
            where: { objectId: stored.objectid },
          })
        )?.state === 'RELEASED',
      'its space is free',
    );
    expect(reasonsOf(await ask(program('true'), kept, {}))).toEqual([
      {
        code: 'unknown-object',
        path: 'resources.storage[0].objectid',
        asked: stored.objectid,
        text: expect.any(String),
      },
      expect.objectContaining({
        code: 'task-type-not-here',
        destinations: expect.arrayContaining(['notebooks']),
      }),
    ]);
  });

  test('the example of docs/guides/storage.md is answered as the page shows, and runs', async () => {
    const page = await readFile(new URL('../../docs/guides/storage.md', import.meta.url), 'utf8');
    const block = (word: string): string =>
      new RegExp(`\`\`\`yaml ${word}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
    const answer = await sendAsk(service.url, block('storage-ask'));
    const { objectid, ...shown } = Object(load(block('storage-offer')));
    expect(storageOf(answer)).toEqual({
      ...shown,
      objectid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(typeof objectid).toBe('string');
    expect((await follow(answer)).last).toBe('COMPLETED');
    expect(await readdir(join(service.folder, 'archive', storageOf(answer).objectid))).toEqual([
      'when.txt',
    ]);
  });

  test('a notebook destination writes a persistent volume to a bucket and reads it back', async () => {
    const python = (source: string): object => ({
      type: `${TYPE}/task-type/python-program`,
      spec: { source },
    });
    const first = await ask(python('open("/keep/x.txt", "w").write("42")'), persistent, {
      path: '/keep',
    });
    const stored = storageOf(first);
    expect(stored).toMatchObject({
      type: `${STORAGE}/amazon-S3`,
      endpoint: `${s3.account.endpoint}/data`,
    });
    expect((await follow(first)).last).toBe('COMPLETED');
    const second = await follow(
      await ask(
        python('print(open("/keep/x.txt").read())'),
        { type: `${STORAGE}/persistent`, objectid: stored.objectid },
        { path: '/keep', mode: 'r' },
      ),
    );
    expect(await fetchResult(second.job, 'stdout')).toBe('42\n');
  });

  test('a volume that exceeds its offered size fails its job, and what was stored before stays', async () => {
    const small = { ...persistent, size: '1MiB' };
    const done = await follow(
      await ask(program('head -c 2000000 /dev/zero > data/big'), small, {}),
    );
    expect(done.last).toBe('ERROR');
    expect(await fetchPart(done.job, 'error')).toContain('storage-full');
  });

  test('a job that is cancelled before it begins keeps no space', async () => {
    const offer = firstOffer(await ask(program('true'), persistent, {}));
    await fetch(offer.href, {
      method: 'POST',
      body: 'status: ACCEPTED\nstart: client',
      headers: { 'Content-Type': 'application/yaml' },
    });
    await fetch(offer.href, {
      method: 'POST',
      body: 'status: CANCELLED',
      headers: { 'Content-Type': 'application/yaml' },
    });
    const kept = () =>
      service.db.database.storageReservation.findFirst({ where: { offerId: offer.ident } });
    await until(async () => (await kept())?.state !== 'FIRM', 'its space is free');
    expect((await kept())?.state).toBe('RELEASED');
  });

  test.each<readonly [string, () => Item, string, string]>([
    [
      'below a prefix of a bucket',
      () => ({
        type: `${STORAGE}/amazon-S3`,
        endpoint: s3.account.endpoint,
        bucket: 'data',
        prefix: 'images/',
      }),
      'cat data/a.txt data/deep/b.txt',
      'firstsecond',
    ],
    [
      'one object of a bucket',
      () => ({
        type: `${STORAGE}/amazon-S3`,
        endpoint: s3.account.endpoint,
        bucket: 'data',
        object: 'other.txt',
        size: '1Gb',
      }),
      'cat data/other.txt',
      'third',
    ],
    [
      'a public bucket, without credentials',
      () => ({
        type: `${STORAGE}/amazon-S3`,
        endpoint: open.account.endpoint,
        bucket: 'pub',
        object: 'deep/sky.txt',
      }),
      'cat data/sky.txt',
      'public',
    ],
    [
      'a file on the web',
      () => ({ type: `${STORAGE}/https`, location: `${webUrl}/m31.txt` }),
      'cat data/m31.txt',
      'andromeda',
    ],
    [
      'a file that Rucio knows',
      () => ({ type: `${STORAGE}/rucio`, endpoint: webUrl, scope: 'survey', object: 'm31.txt' }),
      'cat data/m31.txt',
      'andromeda',
    ],
  ])('data from elsewhere is there before the run: %s', async (_, item, script, output) => {
    const answer = await ask(program(script), item(), { mode: 'r' });
    expect(storageOf(answer)).toMatchObject({ name: 'one', ...item() });
    const done = await follow(answer);
    expect(done.last).toBe('COMPLETED');
    expect(await fetchResult(done.job, 'stdout')).toBe(output);
    expect(await fetchPart(done.job, 'results')).not.toContain('.txt');
  });

  test('data that cannot be read, or exceeds the scratch space, fails the job with its own code', async () => {
    const missing = await follow(
      await ask(program('true'), { type: `${STORAGE}/https`, location: `${webUrl}/nothing` }, {}),
    );
    expect([missing.last, await fetchPart(missing.job, 'error')]).toEqual([
      'ERROR',
      expect.stringMatching(/^fetch-failed: .*one.*404/),
    ]);
    const absent = await follow(
      await ask(
        program('true'),
        {
          type: `${STORAGE}/amazon-S3`,
          endpoint: s3.account.endpoint,
          bucket: 'data',
          object: 'absent',
        },
        {},
      ),
    );
    expect([absent.last, await fetchPart(absent.job, 'error')]).toEqual([
      'ERROR',
      expect.stringContaining(
        'storage-load-failed: the volume one: the service has no object absent in a bucket data',
      ),
    ]);
  });

  test('a volume lies inside a larger one, at the deepest path in letters of three bytes', async () => {
    const deep = Array.from({ length: 6 }, () => '語'.repeat(82)).join('/');
    const volumes = [
      { name: 'inner', path: 'data/in//', mode: 'r' },
      { name: 'outer', path: 'data' },
      { name: 'deep', path: deep },
    ];
    const ephemeral = { type: `${STORAGE}/ephemeral`, size: '1Gb' };
    const answer = await service.ask({
      task: program(`cat data/in/m31.txt && echo x > data/x && echo y > ${deep}/y && ls data`),
      resources: {
        compute: [{ volumes }],
        storage: [
          { name: 'outer', ...ephemeral },
          { name: 'deep', ...ephemeral },
          { name: 'inner', type: `${STORAGE}/https`, location: `${webUrl}/m31.txt` },
        ],
      },
    });
    const done = await follow(answer);
    expect([done.last, await fetchResult(done.job, 'stdout')]).toEqual([
      'COMPLETED',
      'andromedain\nx\n',
    ]);
  });

  test('an ephemeral volume without a size gets the default of the site, which the offer shows', async () => {
    const tried = async (resources: object, task: object = program('true')): Promise<string> => {
      const response = await fetch(`${service.url}/request?dry-run=true`, {
        method: 'POST',
        body: JSON.stringify({ task, resources }),
        headers: { 'Content-Type': 'application/json' },
      });
      return response.text();
    };
    const [a, b] = ['a', 'b'].map((name) => ({ name, type: `${STORAGE}/ephemeral` }));
    const compute = [
      {
        volumes: [
          { name: 'a', path: 'a' },
          { name: 'b', path: 'b' },
        ],
      },
    ];
    const first = await tried({ compute, storage: [a, b] });
    const { request } = Object(load(first)).response.offers[0];
    expect(request.resources.storage).toEqual([
      { ...a, size: '20Gb' },
      { ...b, size: '20Gb' },
    ]);
    expect(Object(load(await tried(request.resources, request.task))).response).toMatchObject({
      result: 'YES',
      offers: [{ request }],
    });
    const tooMuch = await tried({ compute, storage: [{ ...a, size: '70Gb' }, b] });
    expect(reasonsOf(tooMuch)).toContainEqual(
      expect.objectContaining({
        destination: 'programs',
        path: 'resources.storage',
        asked: '90Gb',
      }),
    );
    expect(Object(load(tooMuch)).response.nearest.changes).toMatchObject([
      { path: 'resources.storage[0].size', to: '60Gb' },
    ]);
  });

  test.each([
    ['has other contents than Rucio says', 'changed.txt', 'its MD5 is another'],
    ['is a data set of several files', 'set', 'is a data set of 2 files'],
    ['has no replica that is read by http or https', 'far.txt', 'knows no replica'],
  ])('a file that Rucio knows fails the job when it %s', async (_, object, text) => {
    const done = await follow(
      await ask(
        program('true'),
        { type: `${STORAGE}/rucio`, endpoint: webUrl, scope: 'survey', object },
        {},
      ),
    );
    expect([done.last, await fetchPart(done.job, 'error')]).toEqual([
      'ERROR',
      expect.stringContaining(text),
    ]);
  });

  test('the sizes that a client gives are the input size for the rules', async () => {
    const big = await ask(
      program('true'),
      { type: `${STORAGE}/https`, location: `${webUrl}/m31.txt`, size: '4Gb' },
      {},
    );
    expect(reasonsOf(big)).toContainEqual(
      expect.objectContaining({
        code: 'rule-failed',
        text: expect.stringContaining('too much data'),
      }),
    );
  });

  test('plug-ins bring data in and take it back, and say what a destination is', async () => {
    const item = { type: 'https://example.org/storage-type/catalogue', stars: ['Vega', 'Deneb'] };
    const observatory = {
      type: 'https://example.org/compute-type/observatory',
      observatory: { 'min-altitude': 2000 },
    };
    const answer = await ask(program('cat data/stars.txt'), item, { mode: 'r' }, observatory);
    expect(Object(load(answer)).response.offers[0].request.resources).toMatchObject({
      compute: [observatory],
      storage: [item],
    });
    const done = await follow(answer);
    expect(await fetchResult(done.job, 'stdout')).toBe('Vega\nDeneb\n');
    expect(
      reasonsOf(
        await ask(
          program('true'),
          item,
          { mode: 'r' },
          { ...observatory, observatory: { 'min-altitude': 5000 } },
        ),
      ),
    ).toContainEqual(
      expect.objectContaining({
        code: 'compute-type-mismatch',
        destination: 'programs',
        path: 'resources.compute[0].observatory',
      }),
    );
    expect(
      reasonsOf(await ask(program('true'), { ...item, stars: 5 }, { mode: 'r' })),
    ).toMatchObject([{ code: 'storage-value-invalid', path: 'resources.storage[0].stars' }]);
  });
});

/** A line of Rucio's answer about where a file is. */
function replica(file: object): string {
  return `${JSON.stringify({ scope: 'survey', ...file })}\n`;
}
