import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { load } from 'js-yaml';
import { s3Client } from '../../src/storage/s3.ts';
import { startS3, type TestS3 } from '../harness/s3.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

export const TYPE = 'https://www.purl.org/ivoa-net';
export const STORAGE = `${TYPE}/storage-type`;
/** A new persistent volume. */
export const persistent = { type: `${STORAGE}/persistent`, size: '1Gb', lifetime: '1D' };

export type Item = Readonly<Record<string, unknown>>;

/** Storage in an offer. */
export type Stored = {
  readonly objectid: string;
  readonly type: string;
  readonly endpoint?: string;
  readonly lifecycle: string;
  readonly lifetime?: string;
  readonly size: string;
};

/**
 * A service with a directory and a bucket for persistent volumes, and with data to fetch: the
 * bucket `data`, the public bucket `pub`, and a web server that also acts as Rucio.
 */
export type StorageSite = {
  readonly service: WholeService;
  readonly s3: TestS3;
  readonly open: TestS3;
  readonly webUrl: string;
  /** paths that the web server was asked for; it never answers for `/silent` */
  readonly requested: readonly string[];
  /** Asks with a volume `one` at `data`, and returns the answer. */
  readonly ask: (task: object, item: Item, volume: Item, compute?: Item) => Promise<string>;
  readonly close: () => Promise<void>;
};

export async function startStorageSite(): Promise<StorageSite> {
  const s3 = await startS3('data');
  const open = await startS3('pub');
  const { web, webUrl, requested } = await startWeb();
  await putData(s3, open);
  // Open servers would keep the process of a failed start alive.
  const release = async (): Promise<void> => {
    const closed = new Promise((done) => web.close(done));
    web.closeAllConnections();
    await closed;
    await s3.close();
    await open.close();
  };
  const service = await startWholeService({
    site: (folder) => siteIn(folder, s3, open, webUrl),
    rules: {
      tools: { 'executable/.*': { rules: [{ if: 'input_size > 3', fail: 'too much data' }] } },
      destinations: { notebooks: { runner: 'notebook' }, programs: { runner: 'process' } },
    },
    environment: {
      PLUGINS_DIR: fileURLToPath(new URL('../../docs/examples/plugins', import.meta.url)),
    },
  }).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  return {
    service,
    s3,
    open,
    webUrl,
    requested,
    ask: (task, item, volume, compute = {}) =>
      service.ask({
        task,
        resources: {
          compute: [{ ...compute, volumes: [{ name: 'one', path: 'data', ...volume }] }],
          storage: [{ name: 'one', ...item }],
        },
      }),
    close: async () => {
      await release();
      await service.close();
    },
  };
}

export function program(script: string): object {
  return { type: `${TYPE}/task-type/executable`, spec: { command: ['sh', '-c', script] } };
}

export function reasonsOf(answer: string): readonly { code: string; path: string; text: string }[] {
  return Object(load(answer)).response.reasons;
}

/** The storage of the first offer. */
export function storageOf(answer: string): Stored {
  return Object(load(answer)).response.offers[0].request.resources.storage[0];
}

async function startWeb() {
  let webUrl = '';
  const requested: string[] = [];
  const web: Server = createServer((request, response) => {
    requested.push(request.url ?? '');
    if (request.url === '/silent') return;
    const body = request.url === '/m31.txt' ? 'andromeda' : replicas(request.url, webUrl);
    if (body === undefined) response.writeHead(404).end();
    else response.end(body);
  });
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  const address = web.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  webUrl = `http://127.0.0.1:${port}`;
  return { web, webUrl, requested };
}

/** Rucio's list of a file's replicas; undefined if it does not know the file. */
function replicas(path: string | undefined, webUrl: string): string | undefined {
  const here = { [`${webUrl}/m31.txt`]: { priority: 1 } };
  const far = { 'root://far.example.org//m31': { priority: 1 } };
  const near = { [`${webUrl}/m31.txt`]: { priority: 2 } };
  switch (path) {
    case '/replicas/survey/m31.txt': {
      const md5 = 'c77c94c20edf86a105433f4bc671d348';
      return replica({ name: 'm31.txt', bytes: 9, md5, pfns: { ...far, ...near } });
    }
    case '/replicas/survey/changed.txt': {
      const md5 = 'd41d8cd98f00b204e9800998ecf8427e';
      return replica({ name: 'changed.txt', bytes: 9, md5, pfns: here });
    }
    case '/replicas/survey/set':
      return ['a', 'b'].map((name) => replica({ name, pfns: here })).join('');
    case '/replicas/survey/far.txt':
      return replica({ name: 'far.txt', pfns: far });
    default:
      return undefined;
  }
}

function replica(file: object): string {
  return `${JSON.stringify({ scope: 'survey', ...file })}\n`;
}

async function putData(s3: TestS3, open: TestS3): Promise<void> {
  await s3Client(open.account).send(
    new PutObjectCommand({ Bucket: 'pub', Key: 'deep/sky.txt', Body: 'public' }),
  );
  const client = s3Client(s3.account);
  for (const [Key, Body] of [
    ['images/a.txt', 'first'],
    ['images/deep/b.txt', 'second'],
    ['other.txt', 'third'],
  ] as const) {
    await client.send(new PutObjectCommand({ Bucket: 'data', Key, Body }));
  }
}

async function siteIn(folder: string, s3: TestS3, open: TestS3, webUrl: string): Promise<object> {
  const destination = { cores: 4, memory: '8GiB', scratch: '80GiB' };
  const { endpoint } = s3.account;
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
}
