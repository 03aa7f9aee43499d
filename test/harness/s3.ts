import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Account } from '../../src/storage/s3.ts';

/** An S3 server in this process, which does not check signatures. */
export type TestS3 = { readonly account: S3Account; readonly close: () => Promise<void> };

export async function startS3(...buckets: readonly string[]): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 'planner-s3-'));
  const S3rver = createRequire(import.meta.url)('s3rver');
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: buckets.map((name) => ({ name })),
  });
  const { port } = await server.run();
  return {
    account: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
