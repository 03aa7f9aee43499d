import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A research object of cwltool, from its archive at a URL. */
export async function researchObject(url: string) {
  const response = await fetch(url);
  const archive = Buffer.from(await response.arrayBuffer());
  const folder = mkdtempSync(join(tmpdir(), 'planner-object-'));
  folders.push(folder);
  execFileSync('tar', ['-xz', '-C', folder], { input: archive });
  const read = (path: string): Buffer => readFileSync(join(folder, path));
  return {
    read,
    json: (path: string) => JSON.parse(read(path).toString()),
    /** what its list says of its data */
    listed: read('manifest-sha1.txt')
      .toString()
      .trim()
      .split('\n')
      .map((line) => {
        const [checksum = '', path = ''] = line.split(/\s+/);
        return { checksum, path };
      }),
  };
}

export function sha1(content: string | Buffer): string {
  return createHash('sha1').update(content).digest('hex');
}

/** The checksum of a content as CWL writes it. */
export function checksumOf(content: string): string {
  return `sha1$${sha1(content)}`;
}
