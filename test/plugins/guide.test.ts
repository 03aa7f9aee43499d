import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { run, shell } from '../runners/workloads.ts';
import { checkMachine } from '../../src/cli/check-machine.ts';
import { loadPlugins } from '../../src/plugins/load.ts';
import { openPluginRunner } from '../../src/plugins/open-runner.ts';
import { readSite } from '../../src/site/read.ts';
import { readMarkdown } from '../docs/sources/markdown.ts';
import { removeRoot, temporaryRoot } from '../runners/workloads.ts';

const { fences } = await readMarkdown('docs/guides/plugins.md');
function textOf(kind: string): string {
  return fences.find(({ words }) => words[1] === kind)?.text ?? '';
}
const plugins = await mkdtemp(join(tmpdir(), 'planner-guide-'));
await mkdir(join(plugins, 'polite'));
await writeFile(join(plugins, 'polite/plugin.mjs'), textOf('plugin-engine'));
const root = temporaryRoot();
afterAll(async () => {
  removeRoot(root);
  await rm(plugins, { recursive: true });
});

describe('the engine of docs/guides/plugins.md', () => {
  test('is used by the site beside it', async () => {
    const reading = readSite('site.yml', textOf('plugin-site'), await loadPlugins(plugins));
    expect(reading).toMatchObject({ ok: true });
  });

  test('runs a job politely', async () => {
    const jobsRoot = join(root, 'jobs');
    const settings = { niceness: 7 };
    const runner = await openPluginRunner({ plugins, name: 'polite', settings, jobsRoot });
    const work = shell('nice');
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    expect(readFileSync(join(jobsRoot, work.job, 'stdout'), 'utf8')).toBe(
      `${Math.min(19, getPriority() + 7)}\n`,
    );
    expect(runner).toMatchObject({ name: 'polite', reach: 'host' });
    await runner.close();
  });

  test('is asked by planner check, which says that it does not answer', async () => {
    const other = await mkdtemp(join(tmpdir(), 'planner-check-'));
    await mkdir(join(other, 'polite'));
    const check = "reach: 'host', check: async () => { throw new Error('the queue is closed'); }";
    const code = textOf('plugin-engine').replace("reach: 'host'", check);
    await writeFile(join(other, 'polite/plugin.mjs'), code);
    const reading = readSite('site.yml', textOf('plugin-site'), await loadPlugins(other));
    if (!reading.ok) throw new Error('the site has problems');
    const { lines } = await checkMachine(reading.site, new Map());
    expect(lines).toContain(
      'warning: the engine of here (polite) does not answer: the queue is closed',
    );
    await rm(other, { recursive: true });
  });

  test('that a site gives wrong settings says the key with its line, and a runner that is none says so', async () => {
    const wrong = textOf('plugin-site').replace('niceness: 7', 'niceness: much');
    const known = await loadPlugins(plugins);
    expect(readSite('site.yml', wrong, known)).toMatchObject({
      ok: false,
      problems: [{ line: 5, message: 'destinations.here.polite.niceness: must be integer' }],
    });
    const other = await mkdtemp(join(tmpdir(), 'planner-none-'));
    await mkdir(join(other, 'none'));
    const code = textOf('plugin-engine')
      .replace("'polite'", "'none'")
      .replace(/tools\.localRunner[^]*?\}\)/, '({ name: 1 })');
    await writeFile(join(other, 'none/plugin.mjs'), code);
    await expect(
      openPluginRunner({ plugins: other, name: 'none', settings: {}, jobsRoot: root }),
    ).rejects.toThrow('gave no runner: it has no submit, look, stop');
    await rm(other, { recursive: true });
  });
});
