import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unzipSync, zipSync } from 'fflate';
import { readMarkdown, root } from '../docs/sources/markdown.ts';
import { differencesInConsole, differencesInPython } from '../docs/sources/python-session.ts';
import { openShellSession } from '../docs/sources/shell-session.ts';
import { withEngine } from '../engines/summary.ts';
import { processDestination, tokenOf } from '../harness/site.ts';
import { startWholeService, type WholeOptions } from '../harness/whole-service.ts';
import { missingIndex } from './venv.ts';

const run = promisify(execFile);

/** Not a real one, and never whole in this file. */
const SECRET = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ');

/** The planner of the page, and a site that knows its token. */
const SHOWN_PLANNER = 'https://planner.example.org';
const SITE: WholeOptions = {
  site: {
    rules: ['rules.yml'],
    identity: { anonymous: false, tokens: [tokenOf('ada-token')] },
    destinations: { here: processDestination() },
  },
  rules: { destinations: { here: { runner: 'process' } } },
};

/** Runs `npm run clients`. @returns what it told of the packages, or why it failed */
async function clients(...words: readonly string[]): Promise<string> {
  const ended = run(process.execPath, [join(root, 'scripts/clients.mjs'), ...words]);
  return ended.then(
    ({ stdout }) => stdout,
    (error: unknown) => String(Object(error).stderr),
  );
}

withEngine('the packages of the clients', missingIndex(), () => {
  let folder: string;
  const at = (...names: readonly string[]): string => join(folder, ...names);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-packages-'));
    await clients('--to', at('one'));
    await clients('--to', at('other'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('have the version of the contract, and two builds have the same bytes', async () => {
    const version = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
    const names = await readdir(at('one'));
    expect(names.toSorted()).toEqual([
      `execution-planner-client-${version}.tgz`,
      `execution_planner_client-${version}-py3-none-any.whl`,
      `execution_planner_client-${version}.tar.gz`,
    ]);
    for (const name of names) {
      const [one, other] = [await digestOf(at('one', name)), await digestOf(at('other', name))];
      expect(`${name} ${one}`).toBe(`${name} ${other}`);
    }
  });

  test('of Python install into an empty environment, and every block of the page prints what is shown', async () => {
    const [page, python] = [await readMarkdown('clients/python/README.md'), await installed()];
    const session = await openShellSession('npm start');
    try {
      expect(await differencesInPython(page, python, session)).toEqual([]);
      expect(await differencesInConsole(page, python, session)).toEqual([]);
    } finally {
      await session.close();
    }
  });

  test('of npm installs into an empty project, and does what its page says', async () => {
    const [project, service] = [at('project'), await startWholeService(SITE)];
    try {
      await mkdir(project);
      await writeFile(join(project, 'package.json'), '{ "type": "module" }');
      const tarball = at('one', (await readdir(at('one'))).find(isTarball) ?? '');
      await run('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: project });
      const { fences } = await readMarkdown('clients/typescript/README.md');
      const text = fences.flatMap(({ words, text }) => (words[0] === 'ts' ? [text] : [])).join('');
      const program = stripTypeScriptTypes(text).replaceAll(SHOWN_PLANNER, service.url);
      await writeFile(join(project, 'readme.js'), program);
      const { stdout } = await run(process.execPath, ['readme.js'], { cwd: project });
      expect(stdout).toContain('begin\nend\n2 sqrt(x)\n');
      expect(stdout).toContain('job-unknown 404\n');
    } finally {
      await service.close();
    }
  });

  /** The Python of an empty environment that got the wheel alone, as people install it. */
  const installed = async (): Promise<string> => {
    const [venv, wheel] = [at('venv'), (await readdir(at('one'))).find(isWheel) ?? ''];
    await run('/usr/bin/python3', ['-m', 'venv', venv]);
    const python = join(venv, 'bin', 'python');
    await run(python, ['-m', 'pip', 'install', '--quiet', `${at('one', wheel)}[cli]`]);
    return python;
  };

  describe('are refused', () => {
    const wheel = 'execution_planner_client-0.1.0-py3-none-any.whl';
    test.each([
      ['a test', 'execution_planner/tests/test_one.py', '', 'is a test'],
      ['compiled code', 'execution_planner/__pycache__/a.pyc', '', 'is no file of a package'],
      ['another module', 'other/__init__.py', '', 'is in no folder of the package'],
      ['a secret', 'execution_planner/key.py', SECRET, 'looks like it has a secret'],
      ['a path of this machine', 'execution_planner/a.py', root, "has a path of the builder's"],
    ])('with %s', async (_, name, text, told) => {
      const own = await mkdtemp(at('wrong-'));
      const files = unzipSync(await readFile(at('one', wheel)));
      await writeFile(join(own, wheel), zipSync({ ...files, [name]: Buffer.from(text) }));
      expect(await clients('--check', own)).toContain(`${wheel}: ${name} ${told}`);
    });

    test('without a licence or the mark of types, and with another version', async () => {
      const [own, later] = [await mkdtemp(at('wrong-')), await mkdtemp(at('wrong-'))];
      const files = Object.entries(unzipSync(await readFile(at('one', wheel)))).filter(
        ([name]) => !/LICENSE|py\.typed/.test(name),
      );
      await writeFile(join(own, wheel), zipSync(Object.fromEntries(files)));
      await cp(at('one', wheel), join(later, wheel.replace('0.1.0', '0.2.0')));
      const told = await clients('--check', own);
      expect(told).toContain('there is no execution_planner/py.typed');
      expect(told).toContain(
        'there is no execution_planner_client-0.1.0.dist-info/licenses/LICENSE',
      );
      expect(await clients('--check', later)).toContain('is not the name of a package of version');
    });
  });
});

async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

function isTarball(name: string): boolean {
  return name.endsWith('.tgz');
}

function isWheel(name: string): boolean {
  return name.endsWith('.whl');
}
