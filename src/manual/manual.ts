import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { renderPage, type RenderedPage, type ResolveLink } from './render.ts';
import { openSearch } from './search.ts';
import { printHits, printManualPage } from './shell.ts';

/** The project's documents as pages. */
export type Manual = {
  /**
   * Gives a whole page as HTML by its path, such as `guides/deploy`; undefined for an unknown path.
   */
  readonly page: (path: string) => string | undefined;
  /** Gives the page with the results of a search, best first. */
  readonly search: (words: string) => string;
};

const INDEX = 'docs/README.md';
/** Documents outside of `docs`, and the paths of their pages. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'readme',
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'security',
};
/** Files that are not documents, and their addresses in the service. */
const SERVED: Readonly<Record<string, string>> = { 'api/openapi.yaml': '../openapi.yaml' };
const PICTURES = /^docs\/(pictures\/[a-z-]+\.png)$/;

/**
 * Reads and renders all documents once, one for each turn of the event loop: together they take a
 * tenth of a second.
 *
 * @param root the project's root. A document that is missing there has no page.
 */
export async function readManual(root: string): Promise<Manual> {
  const texts = await readDocuments(root);
  const pages = new Map<string, RenderedPage>();
  for (const [file, text] of texts) {
    pages.set(pathOf(file), renderPage(file, text, resolverFrom(pathOf(file), texts)));
    await breathe();
  }
  const menu = pages.get(pathOf(INDEX))?.links ?? [];
  const find = openSearch(pages);
  const printed = new Map<string, string>();
  for (const [path, { title, html }] of pages) {
    printed.set(path, printManualPage({ path, title, menu }, html));
  }
  return {
    page: (path) => printed.get(path),
    search: (words) =>
      printManualPage(
        { path: 'search', title: 'Search', menu, words },
        printHits(words, find(words)),
      ),
  };
}

async function readDocuments(root: string): Promise<ReadonlyMap<string, string>> {
  const inside = await readdir(join(root, 'docs'), { recursive: true });
  const files = inside.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  const texts = new Map<string, string>();
  for (const file of [...files.toSorted(), ...Object.keys(OUTSIDE)]) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
    if (text !== undefined) texts.set(file, text);
  }
  return texts;
}

/** The path of a document's page below `/docs/`. */
function pathOf(file: string): string {
  if (file === INDEX) return 'index';
  return OUTSIDE[file] ?? file.slice('docs/'.length, -'.md'.length);
}

function resolverFrom(path: string, texts: ReadonlyMap<string, string>): ResolveLink {
  const from = posix.dirname(path);
  return (file) => {
    const to = texts.has(file) ? pathOf(file) : (SERVED[file] ?? PICTURES.exec(file)?.[1]);
    return to === undefined ? undefined : posix.relative(from, to);
  };
}
