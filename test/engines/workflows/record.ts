import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/** What is recorded of a run, from its archive at a URL: the text of a file, or of all in a folder. */
export async function fetchRecord(url: string): Promise<(path: string) => string> {
  const response = await fetch(url);
  const input = Buffer.from(await response.arrayBuffer());
  return (path) =>
    execFileSync('tar', ['-xz', '--to-stdout', `./${path}`], { input, encoding: 'utf8' });
}

/** The checksum of a text. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
