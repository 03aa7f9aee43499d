import { readFile } from 'node:fs/promises';
import { CannotStart } from '../words/cannot-start.ts';
import type { S3Service } from './place.ts';
import type { S3Account } from './s3.ts';
import { errorText } from '../words/system-error.ts';

/**
 * An S3 service with its keys. The file has the lines `aws_access_key_id = …` and
 * `aws_secret_access_key = …`, as the AWS command line writes them.
 *
 * @throws CannotStart that names the file but not its content
 */
export async function openAccount({
  endpoint,
  region,
  credentials: file,
}: S3Service): Promise<S3Account> {
  if (file === undefined) return { endpoint, region, credentials: undefined };
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CannotStart(`the credentials file ${file} cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  });
  const [accessKeyId, secretAccessKey] = [
    valueOf(text, 'aws_access_key_id'),
    valueOf(text, 'aws_secret_access_key'),
  ];
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
  throw new CannotStart(
    `the credentials file ${file} needs the lines 'aws_access_key_id = …' and 'aws_secret_access_key = …'`,
  );
}

function valueOf(text: string, key: string): string | undefined {
  return new RegExp(`^\\s*${key}\\s*=\\s*(\\S+)\\s*$`, 'm').exec(text)?.[1];
}
