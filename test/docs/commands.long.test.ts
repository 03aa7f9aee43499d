import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import {
  markdownFiles,
  readMarkdown,
  root,
  type Fence,
  type Markdown,
} from './sources/markdown.ts';
import {
  looksLike,
  normalised,
  openShellSession,
  runShell,
  type ShellSession,
} from './sources/shell-session.ts';

const pages: readonly Markdown[] = await Promise.all((await markdownFiles()).map(readMarkdown));
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

function isShell({ words }: Fence): boolean {
  return words[0] === 'sh';
}

function isAsk({ words }: Fence): boolean {
  return words[0] === 'yaml' && words[1] === 'ask';
}

/** A shell block and the output shown right below it. */
type Step = { readonly fence: Fence; readonly shown: Fence | undefined };
/** The README's command that starts the service; a page may have its own. */
const START = startOf(pages.find(({ file }) => file === 'README.md')) ?? '';

const withSteps = pages.filter((page) => stepsOf(page).length > 0);
/** What pages use and a machine may lack, and a command that ends well where it is. */
const FOREIGN: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['curl', '--version'],
  astropy: ['/usr/bin/python3', '-c', 'import astropy, nbclient, nbconvert, ipykernel'],
  cwltool: ['cwltool', '--version'],
  snakemake: ['snakemake', '--version'],
  mpirun: ['mpirun', '--version'],
};
const absent = Object.entries(FOREIGN)
  .filter(([, [program, ...words]]) => spawnSync(program, words).status !== 0)
  .map(([name]) => name);

function absentFor(page: Markdown): readonly string[] {
  const used = page.fences.filter((fence) => isRun(fence) || isSaved(fence));
  return absent.filter((name) => used.some(({ text }) => text.includes(name)));
}

/** Site files that a page tells its reader to save. */
function isSaved({ words }: Fence): boolean {
  return words[1] === 'site' && words[2] !== undefined;
}

function isRun({ words }: Fence): boolean {
  return words[0] === 'sh' && words.length === 1;
}

const asks = pages.flatMap(({ file, fences }) =>
  fences.filter(isAsk).map((fence) => ({ place: `${file}:${fence.line}`, fence })),
);

/** Runs the shell blocks of a page in order, next to the shared service or to the page's own. */
async function expectShown(page: Markdown, shared: () => Promise<ShellSession>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-page-'));
  const withFiles = await saveFiles(page, folder);
  const start = startOf(page) ?? START;
  const own = start === START ? undefined : await openShellSession(withFiles(start));
  const session = own ?? (await shared());
  try {
    const steps = stepsOf(page);
    const outputs = await session.run(steps.map(({ fence }) => withFiles(fence.text)));
    expect(outputs).toHaveLength(steps.length);
    const different = steps.flatMap(({ fence, shown }, index) => {
      const output = outputs[index] ?? '';
      if (shown === undefined || looksLike(output, shown.text)) return [];
      return [
        {
          place: `${page.file}:${fence.line}`,
          printed: normalised(output),
          shown: normalised(shown.text),
        },
      ];
    });
    expect(different).toEqual([]);
  } finally {
    await own?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function stepsOf({ fences }: Markdown): readonly Step[] {
  return fences.flatMap((fence, index) => {
    const next = fences[index + 1];
    return isRun(fence)
      ? [{ fence, shown: next?.words.includes('output') === true ? next : undefined }]
      : [];
  });
}

/**
 * Writes the site files that a page tells its reader to save.
 * @returns a function that puts their real paths into a text of the page
 */
async function saveFiles({ fences }: Markdown, folder: string): Promise<(text: string) => string> {
  const saved = fences
    .filter(isSaved)
    .map(({ words: [, , name = ''], text }) => ({ name, text, path: join(folder, name) }));
  await Promise.all(saved.map(({ path, text }) => writeFile(path, text)));
  return (text) => saved.reduce((told, { name, path }) => told.replaceAll(name, path), text);
}

function startOf(page: Markdown | undefined): string | undefined {
  return page?.fences.find(isService)?.text;
}

function isService({ words }: Fence): boolean {
  return words[0] === 'sh' && words[1] === 'service';
}

describe('the commands of the documentation', () => {
  // One for all pages that start it as the README does: a start takes six seconds of a core.
  let opened: Promise<ShellSession> | undefined;
  /** The shared service, with nothing in its book: a page shows what a new service answers. */
  const shared = async (): Promise<ShellSession> => {
    const session = await (opened ??= openShellSession(START));
    await session.forget();
    return session;
  };
  afterAll(async () => (await opened)?.close());

  for (const page of withSteps) {
    const lacks = absentFor(page);
    const skipped = lacks.length === 0 ? '' : ` (skipped without ${lacks.join(', ')})`;
    (lacks.length === 0 ? test : test.skip)(
      `${page.file}: every command runs, and prints what is shown${skipped}`,
      () => expectShown(page, shared),
    );
  }

  test('the asks in the documentation are answered as it says', async () => {
    const { url } = await shared();
    const headers = { 'Content-Type': 'application/yaml' };
    const results = await Promise.all(
      asks.map(async ({ place, fence }) => {
        const response = await fetch(`${url}/request`, {
          method: 'POST',
          headers,
          body: fence.text,
        });
        const text = await response.text();
        return { place, result: Object(load(text)).response?.result ?? text };
      }),
    );
    expect(results).toEqual(
      asks.map(({ place, fence }) => ({
        place,
        result: fence.words.includes('NO') ? 'NO' : 'YES',
      })),
    );
    expect(asks.length).toBeGreaterThan(0);
  });

  test('the demonstration of the README runs to its end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'planner-demo-'));
    try {
      await chmod(folder, 0o711);
      const output = await runShell(
        String(manifest.scripts.demo).replace('src/', join(root, 'src/')),
        folder,
      );
      expect(output).toMatch(/COMPLETED[\s\S]+Done\./);
      const readme = pages.find(({ file }) => file === 'README.md')?.text ?? '';
      const rows = [...readme.matchAll(/^\| `\d\. .+ \|$/gm)].flatMap(([row]) => [
        ...row.matchAll(/`([^`]+)`/g),
      ]);
      expect(rows.length).toBeGreaterThan(5);
      expect(rows.filter(([, shown = '']) => !output.includes(shown))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('all run, but for those that install packages, need Docker, or run in another test', () => {
    const notRun = pages.flatMap(({ fences }) =>
      fences.filter((fence) => isShell(fence) && !isRun(fence) && !isService(fence)),
    );
    const isForAnother = ({ words: [, , file = ''] }: Fence): boolean =>
      file.startsWith('test/') && existsSync(join(root, file));
    const excused = (fence: Fence): boolean =>
      fence.words[1] === 'not-run:' &&
      fence.words.length > 3 &&
      (isForAnother(fence) || /^(?:npm ci\b|(?:\w+=\S+ )*docker )/.test(fence.text));
    expect(notRun.filter((fence) => !excused(fence))).toEqual([]);
  });

  test('name npm scripts that exist', () => {
    const text = pages
      .flatMap((page) => page.fences.filter(isShell))
      .map((fence) => fence.text)
      .join('\n');
    const names = [...text.matchAll(/npm (?:run )?([a-z]+)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !['ci', 'install', 'pack'].includes(name));
    expect(names.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['start', 'test', 'demo']));
  });
});
