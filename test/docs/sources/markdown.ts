import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A fenced block: the words after its opening fence, its text, and its first line. */
export type Fence = {
  readonly words: readonly string[];
  readonly text: string;
  readonly line: number;
};

export type Markdown = {
  readonly file: string;
  readonly text: string;
  readonly fences: readonly Fence[];
};

const IGNORED = new Set(['node_modules', 'dist', 'generated', 'coverage']);

/** Every markdown file of the project, as paths from its root. */
export function markdownFiles(): Promise<readonly string[]> {
  return findMarkdown(root);
}

/** Reads a markdown file. @param file its path from the project's root */
export async function readMarkdown(file: string): Promise<Markdown> {
  const text = await readFile(join(root, file), 'utf8');
  return { file, text, fences: readFences(text) };
}

/**
 * The text below a heading, up to the next heading of the same or a higher level.
 * @throws Error if there is no such heading
 */
export function sectionOf({ file, text }: Markdown, heading: string): string {
  const [, body] = text.split(`\n${heading}\n`);
  if (body === undefined) throw new Error(`${file} has no heading '${heading}'`);
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  return body.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? '';
}

/** The texts in backquotes in the first column of a text's tables. */
export function firstColumn(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
}

/** The text without code, so that links in it are real. */
export function prose({ text }: Markdown): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

/** The target of a file's link, from the project's root. */
export function targetOf(file: string, link: string): string {
  return join(dirname(file), link);
}

async function findMarkdown(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !IGNORED.has(name) && !name.startsWith('.'))
      .map(async (entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return findMarkdown(path);
        return entry.name.endsWith('.md') ? [relative(root, path)] : [];
      }),
  );
  return found.flat().sort();
}

function readFences(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open:
    | { readonly words: readonly string[]; readonly line: number; readonly lines: string[] }
    | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('```')) open?.lines.push(line);
    else if (open === undefined)
      open = { words: line.slice(3).trim().split(/\s+/), line: index + 1, lines: [] };
    else {
      fences.push({ words: open.words, line: open.line, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`a fence of line ${open.line} is never closed`);
  return fences;
}
