import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { markdownFiles, prose, readMarkdown, root, targetOf } from './sources/markdown.ts';

async function anchorsOf(file: string): Promise<ReadonlySet<string>> {
  const { text } = await readMarkdown(file);
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
}

/** GitHub's anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

async function linksOf(file: string): Promise<readonly string[]> {
  return [...prose(await readMarkdown(file)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

describe('links inside the project', () => {
  test('lead to files and headings that exist', async () => {
    const broken: string[] = [];
    for (const file of await markdownFiles()) {
      for (const link of await linksOf(file)) {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? file : targetOf(file, path);
        const found =
          existsSync(join(root, target)) &&
          (anchor === undefined || (await anchorsOf(target)).has(anchor));
        if (!found) broken.push(`${file}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('reach every page of docs from the README', async () => {
    const reached = new Set<string>();
    const waiting = ['README.md'];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (reached.has(file)) continue;
      reached.add(file);
      for (const link of await linksOf(file)) {
        const target = targetOf(file, link.split('#')[0] ?? '');
        if (target.endsWith('.md')) waiting.push(target);
      }
    }
    expect((await markdownFiles()).filter((file) => !reached.has(file))).toEqual([]);
  });
});
