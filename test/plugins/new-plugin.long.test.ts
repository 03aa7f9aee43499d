import { execFile, spawn } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadPlugins } from '../../src/plugins/load.ts';
import { readSite } from '../../src/site/read.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const COMPILER = join(root, 'node_modules/typescript7/bin/tsc');
const folder = await mkdtemp('/var/tmp/new-plugin-');
await chmod(folder, 0o755);
const made = join(folder, 'plugins/polite');
const printed = (await planner('new-plugin', made)).stdout;
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0'];
const generated = join(root, 'src/generated/api.d.ts');
const before = (await stat(generated)).mtimeMs;
const isInstalled = await install();
afterAll(() => rm(folder, { recursive: true, force: true }));

(isInstalled ? describe : describe.skip)(
  'a new plug-in (skipped where no registry answers, and npm has kept nothing of it)',
  () => {
    test('is installed by npm beside the service, and its own compiler accepts it', async () => {
      const service = await realpath(join(made, 'node_modules/execution-planner'));
      expect(service).toBe(await realpath(root));
      expect((await stat(generated)).mtimeMs).toBe(before);
      const { stdout } = await run('npm', ['exec', '--', 'tsc', '--version'], { cwd: made });
      expect(stdout).toMatch(/^Version 5\./);
      await run('npm', ['run', 'check'], { cwd: made });
      // npm removes what it does not know.
      const other = join(folder, 'other');
      await mkdir(other);
      await writeFile(join(other, 'package.json'), '{"name":"other","version":"1.0.0"}');
      await run('npm', [...INSTALL, other], { cwd: made });
      await run('npm', ['run', 'check'], { cwd: made });
    }, 300_000);
  },
);

describe('planner new-plugin', () => {
  test('says what comes next, and never writes over a folder', async () => {
    expect(printed).toContain(`cd ${made} && npm install && npm test`);
    const spaced = join(folder, 'my plugins/polite');
    expect((await planner('new-plugin', spaced)).stdout).toMatch(
      /cd '\/.*\/my plugins\/polite' && npm[^]*PLUGINS_DIR='\/.*\/my plugins'$/m,
    );
    await expect(planner('new-plugin', made)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is there already'),
    });
    await expect(planner('new-plugin', join(folder, 'Not Good'))).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'Not Good' must be lower-case letters"),
    });
  });

  test.each(['pretest', 'precheck', 'postinstall'])(
    'writes a package whose %s finds the service again',
    async (script) => {
      const link = join(made, 'node_modules/execution-planner');
      await rm(link);
      await run('npm', ['run', script], { cwd: made });
      expect(await realpath(link)).toBe(await realpath(root));
    },
    60_000,
  );

  test('writes a plug-in that compiles, and whose mistakes do not', async () => {
    await run(process.execPath, [COMPILER, '-p', made], { cwd: made });
    const wrong = join(made, 'wrong.json');
    await writeFile(wrong, JSON.stringify({ extends: './tsconfig.json', files: ['wrong.mjs'] }));
    await writeFile(
      join(made, 'wrong.mjs'),
      "/** @type {import('execution-planner/plugin').RunnerPlugin} */\n" +
        "export const one = { name: 'a', settings: {}, executes: ['python'], reach: 'host', " +
        'open: (_, tools) => tools.localRunner({}) };\n',
    );
    await expect(
      run(process.execPath, [COMPILER, '-p', wrong], { cwd: made }),
    ).rejects.toMatchObject({ stdout: expect.stringMatching(/'"python"'[^]*'before'/) });
  }, 120_000);

  test('writes an engine that a site uses, with its settings checked', async () => {
    const plugins = await loadPlugins(join(folder, 'plugins'), 'polite');
    const read = (niceness: unknown) =>
      readSite(
        'site.yml',
        'rules: [rules.yml]\ndestinations:\n  here:\n    runner: polite\n' +
          `    polite: { niceness: ${String(niceness)} }\n` +
          '    task-types: [executable]\n    cores: 1\n    memory: 1\n',
        plugins,
      );
    expect(read(5)).toMatchObject({ ok: true });
    expect(read(50)).toMatchObject({
      ok: false,
      problems: [{ line: 5, message: 'destinations.here.polite.niceness: must be <= 19' }],
    });
  });

  test('writes a test of the promises of engines, which pass', async () => {
    const { scripts } = JSON.parse(await readFile(join(made, 'package.json'), 'utf8'));
    // As npm runs it, on a machine that has no Node or an old one.
    const child = spawn('sh', ['-c', `${String(scripts.test)} --test-reporter=tap`], {
      cwd: made,
      env: { PATH: '/usr/bin:/bin' },
    });
    let output = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) output += String(chunk);
    expect(output).toMatch(/^# pass 20$/m);
    expect(output).toMatch(/^# fail 0$/m);
  }, 900_000);
});

function planner(...words: readonly string[]) {
  return run(process.execPath, ['--no-warnings', join(root, 'src/cli/planner.mjs'), ...words]);
}

/** @returns whether npm could; else the plug-in has what npm would give it, of this project */
async function install(): Promise<boolean> {
  try {
    await run('npm', INSTALL, { cwd: made });
    return true;
  } catch (error) {
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ENOTCACHED/.test(String(error)))
      throw error;
  }
  await mkdir(join(made, 'node_modules'), { recursive: true });
  await symlink(root, join(made, 'node_modules/execution-planner'));
  await symlink(join(root, 'node_modules/@types'), join(made, 'node_modules/@types'));
  return false;
}
