import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchPart, firstOffer, followPhases, sendAccept, sendAsk, sendJob } from '../../src/cli/conversation.ts';
import { startService } from '../../src/main.ts';
import { readSettings } from '../../src/settings.ts';
import type { S3Account } from '../../src/storage/s3.ts';
import { openTestDatabase } from '../harness/database.ts';
import { writeSite } from '../harness/site.ts';

/** What became of one ask. */
export type Told = { readonly job: string; readonly last: string | undefined; readonly answer: string; /** what the job's document says */ readonly summary: string };

/** A whole service with one destination. */
export type EngineService = {
  readonly ask: (document: object) => Promise<string>;
  /** Asks, accepts the first offer and follows its job to its end. */
  readonly run: (document: object) => Promise<Told>;
  readonly close: () => Promise<void>;
};

/**
 * Starts a service that reads from the bucket `data` of an S3 service and keeps volumes in its bucket `managed`.
 *
 * @param destination as a site file says it, without its amounts
 * @param more of the site's `fetch`, and where jobs must be
 */
export const startEngineService = async (destination: object, s3: S3Account, { fetch = {}, jobsDirectory }: { readonly fetch?: object | undefined; readonly jobsDirectory?: string | undefined } = {}): Promise<EngineService> => {
  const folder = await mkdtemp(join(tmpdir(), 'planner-engine-'));
  await chmod(folder, 0o755);
  const db = await openTestDatabase();
  const credentials = join(folder, 'keys');
  await writeFile(credentials, `aws_access_key_id = ${s3.credentials?.accessKeyId}\naws_secret_access_key = ${s3.credentials?.secretAccessKey}\n`, { mode: 0o600 });
  const { endpoint } = s3;
  const site = await writeSite({
    rules: ['rules.yml'], offers: { duration: 'PT2M' }, runners: { process: { python: '/usr/bin/python3' } },
    fetch: { s3: [{ endpoint, credentials, buckets: ['data'] }], ...fetch },
    storage: [{ name: 'bucket', type: 's3', endpoint, bucket: 'managed', prefix: 'kept/', credentials, size: '100GiB' }],
    destinations: { here: { cores: 4, memory: '8GiB', scratch: '80GiB', ...destination } },
  }, { tools: { default: { mem: 1 } }, destinations: { here: { runner: 'any' } } });
  const close = async (): Promise<void> => {
    await db.close();
    await site.remove();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const environment = { ...process.env, DATABASE_URL: db.url, DATA_DIR: folder, SITE_FILE: site.siteFile, PORT: '0', LOG_LEVEL: 'fatal', ...(jobsDirectory && { JOBS_DIR: jobsDirectory }) };
    const reading = readSettings(environment);
    if (!reading.ok) throw new Error(reading.problems.join());
    const service = await startService(reading.settings, environment);
    const ask = (document: object): Promise<string> => sendAsk(service.url, JSON.stringify(document));
    return {
      ask,
      run: async (document) => {
        const answer = await ask(document);
        const offer = firstOffer(answer);
        await sendAccept(offer);
        const job = await sendJob(offer);
        let last: string | undefined;
        for await (const phase of followPhases(job)) last = phase;
        return { job, last, answer, summary: await fetchPart(job, '') };
      },
      close: async () => {
        await service.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};
