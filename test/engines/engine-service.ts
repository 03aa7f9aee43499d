import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Account } from '../../src/storage/s3.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

/**
 * Starts a service with one destination, `here`, that reads from the bucket `data` of an S3 service
 * and keeps volumes in its bucket `managed`.
 *
 * @param destination its keys in the site file, without amounts
 * @param more of the site's `fetch`, the jobs directory, and the folder of plug-ins
 */
export function startEngineService(
  destination: object,
  s3: S3Account,
  {
    fetch = {},
    jobsDirectory,
    plugins,
  }: {
    readonly fetch?: object | undefined;
    readonly jobsDirectory?: string | undefined;
    readonly plugins?: string | undefined;
  } = {},
): Promise<WholeService> {
  return startWholeService({
    site: async (folder) => {
      const credentials = join(folder, 'keys');
      await writeFile(
        credentials,
        `aws_access_key_id = ${s3.credentials?.accessKeyId}\n` +
          `aws_secret_access_key = ${s3.credentials?.secretAccessKey}\n`,
        { mode: 0o600 },
      );
      const { endpoint } = s3;
      return {
        rules: ['rules.yml'],
        offers: { duration: 'PT2M' },
        runners: { process: { python: '/usr/bin/python3' } },
        fetch: { s3: [{ endpoint, credentials, buckets: ['data'] }], ...fetch },
        storage: [
          {
            name: 'bucket',
            type: 's3',
            endpoint,
            bucket: 'managed',
            prefix: 'kept/',
            credentials,
            size: '100GiB',
          },
        ],
        destinations: { here: { cores: 4, memory: '8GiB', scratch: '80GiB', ...destination } },
      };
    },
    rules: { tools: { default: { mem: 1 } }, destinations: { here: { runner: 'any' } } },
    environment: {
      ...(jobsDirectory !== undefined && { JOBS_DIR: jobsDirectory }),
      ...(plugins !== undefined && { PLUGINS_DIR: plugins }),
    },
  });
}
