import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { markdownFiles, readMarkdown, root, type Fence, type Markdown } from './markdown.ts';
import { looksLike, normalised, openShellSession, runShell } from './shell-session.ts';

const pages: readonly Markdown[] = await Promise.all((await markdownFiles()).map(readMarkdown));
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const isShell = ({ words }: Fence): boolean => words[0] === 'sh';
const isRun = ({ words }: Fence): boolean => words[0] === 'sh' && words.length === 1;
const isService = ({ words }: Fence): boolean => words[0] === 'sh' && words[1] === 'service';
const isAsk = ({ words }: Fence): boolean => words[0] === 'yaml' && words[1] === 'ask';

/** A shell block, and the output that is shown right below it. */
type Step = { readonly fence: Fence; readonly shown: Fence | undefined };

const stepsOf = ({ fences }: Markdown): readonly Step[] =>
  fences.flatMap((fence, index) => {
    const next = fences[index + 1];
    return isRun(fence) ? [{ fence, shown: next?.words.includes('output') === true ? next : undefined }] : [];
  });

/** The command that starts the service, from the README itself. */
const START = pages.find(({ file }) => file === 'README.md')?.fences.find(isService)?.text ?? '';

const withSteps = pages.filter((page) => stepsOf(page).length > 0).map((page) => [page.file, page] as const);
const asks = pages.flatMap(({ file, fences }) => fences.filter(isAsk).map((fence) => ({ place: `${file}:${fence.line}`, fence })));

describe('the commands of the documentation', () => {
  test.each(withSteps)('%s: every command runs, and prints what is shown', async (file, page) => {
    const session = await openShellSession(START);
    try {
      const steps = stepsOf(page);
      const outputs = await session.run(steps.map(({ fence }) => fence.text));
      expect(outputs).toHaveLength(steps.length);
      const different = steps.flatMap(({ fence, shown }, index) => {
        const output = outputs[index] ?? '';
        if (shown === undefined || looksLike(output, shown.text)) return [];
        return [{ place: `${file}:${fence.line}`, printed: normalised(output), shown: normalised(shown.text) }];
      });
      expect(different).toEqual([]);
    } finally {
      await session.close();
    }
  });

  test('the asks that the documentation shows are answered as it says', async () => {
    const session = await openShellSession(START);
    try {
      const results = await Promise.all(asks.map(async ({ place, fence }) => {
        const headers = { 'Content-Type': 'application/yaml' };
        const response = await fetch(`${session.url}/request`, { method: 'POST', headers, body: fence.text });
        const text = await response.text();
        return { place, result: Object(load(text)).response?.result ?? text };
      }));
      expect(results).toEqual(asks.map(({ place, fence }) => ({ place, result: fence.words.includes('NO') ? 'NO' : 'YES' })));
      expect(asks.length).toBeGreaterThan(0);
    } finally {
      await session.close();
    }
  });

  test('the demonstration of the README runs to its end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'planner-demo-'));
    try {
      await chmod(folder, 0o711);
      const output = await runShell(String(manifest.scripts.demo).replace('src/', join(root, 'src/')), folder, { patienceMs: 240_000 });
      expect(output).toMatch(/COMPLETED[\s\S]+Done\./);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);

  test('are all run, but for those that install packages, need Docker or are this test', () => {
    const notRun = pages.flatMap(({ fences }) => fences.filter((fence) => isShell(fence) && !isRun(fence) && !isService(fence)));
    const excused = ({ words, text }: Fence): boolean => words[1] === 'not-run:' && words.length > 3 && /^(?:npm ci\b|(?:\w+=\S+ )*docker )/.test(text);
    expect(notRun.filter((fence) => !excused(fence))).toEqual([]);
  });

  test('name npm scripts that exist', () => {
    const text = pages.flatMap((page) => page.fences.filter(isShell)).map((fence) => fence.text).join('\n');
    const names = [...text.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name = '']) => name).filter((name) => name !== 'ci' && name !== 'pack');
    expect(names.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['start', 'test', 'demo']));
  });
});
