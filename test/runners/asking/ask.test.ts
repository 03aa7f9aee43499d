import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFacts, type EnvironmentFacts } from '../../../src/environments/facts.ts';
import { askEnvironment } from '../../../src/runners/asking/ask.ts';
import { startPyodide, versionOfPyodide } from '../../../src/runners/asking/pyodide.ts';
import { runBounded } from '../../../src/runners/asking/run-bounded.ts';
import { until } from '../../rules/rules-folder.ts';
import { removeRoot, temporaryRoot } from '../workloads.ts';

const PYTHON = '/usr/bin/python3';
const BUILT_IN = new URL('../../../src/runners/asking/built-in.json', import.meta.url);
let root = '';
beforeAll(() => {
  root = temporaryRoot();
  chmodSync(root, 0o755);
});
afterAll(() => removeRoot(root));

describe('an environment that is asked what it has', () => {
  test('answers, when it is one', async () => {
    const answer = {
      python: '3.12.4',
      markers: { os_name: 'posix' },
      packages: [{ name: 'Numpy', version: '2.0.1', extras: [] }],
      modules: ['numpy'],
      folders: [],
    };
    const python = scriptOf(`echo '${JSON.stringify(answer)}'`);
    const asked = await ask(python);
    expect(asked).toMatchObject({ name: 'here', state: 'ready', facts: { python: '3.12.4' } });
    expect(asked.state === 'ready' && asked.facts.packages.get('numpy')?.version).toBe('2.0.1');
  });

  test.each([
    ['prints nonsense', 'echo hello', 'no JSON'],
    ['prints JSON that is no answer', 'echo "[]"', 'is no object'],
    ['fails', 'echo "Illegal instruction" >&2; exit 3', 'it ended with 3: Illegal instruction'],
    ['says nonsense', "printf '\\033[2Jno \\007 way' >&2; exit 3", 'it ended with 3: [2Jno   way'],
    [
      'has a version that is none',
      `echo '{"python": "3.12 and more"}'`,
      'its answer has no version of Python',
    ],
    ['prints without end', 'exec yes', 'it prints too much'],
    ['kills itself', 'kill -9 $$', 'it ended with'],
  ])('is broken when it %s', async (_what, script, why) => {
    expect(await ask(scriptOf(script))).toEqual({
      name: 'here',
      kind: 'interpreter',
      state: 'broken',
      why: expect.stringContaining(why),
    });
  });

  test('is broken when it is missing', async () => {
    expect(await ask(join(root, 'no/bin/python'))).toMatchObject({ state: 'broken' });
  });

  test('finds nothing of the environment of the service', async () => {
    process.env['SECRET_OF_THE_SERVICE'] = 'x';
    const python = scriptOf('test -z "$SECRET_OF_THE_SERVICE" || exit 7; exit 8');
    expect(await ask(python)).toMatchObject({ why: expect.stringContaining('8') });
  });
});

(existsSync(PYTHON) ? describe : describe.skip)(
  `the Python of Debian (skipped without ${PYTHON})`,
  () => {
    test('tells of the rest, when one of its packages is damaged', async () => {
      const site = folderWith({
        'left-1.dist-info/RECORD': '',
        'latin-1.dist-info/METADATA': Buffer.from(
          'Name: latin\nVersion: 1\nAuthor: Jos\xe9\n',
          'latin1',
        ),
        'good-1.dist-info/METADATA':
          'Name: good\nVersion: 1\nRequires-Dist: more; extra == "all"\n',
        'good.py': '',
      });
      const { packages, modules } = await factsWith(`sys.path.insert(0, "${site}")`);
      expect(packages.get('good')).toEqual({
        name: 'good',
        version: '1',
        extras: ['more; extra == "all"'],
      });
      expect([packages.has('latin'), packages.has('left')]).toEqual([false, false]);
      expect(['good', 'os', '__main__', '_ctypes'].filter((one) => !modules.has(one))).toEqual([]);
    });

    test('tells of modules that are in no folder, such as those of editable installations', async () => {
      const site = folderWith({
        'in-place-1.dist-info/METADATA': 'Name: in-place\nVersion: 1\n',
        'absent-1.dist-info/METADATA': 'Name: absent\nVersion: 1\n',
        'named-1.dist-info/METADATA': 'Name: names\nVersion: 1\n',
        'named-1.dist-info/top_level.txt': 'other\nnowhere\n',
        'finder.py': [
          'import importlib.machinery as machinery',
          'class Finder:',
          '    @staticmethod',
          '    def find_spec(name, path=None, target=None):',
          '        if name == "absent": raise SystemExit("no compiler")',
          '        if name in ("in_place", "other", "distutils"):',
          '            return machinery.ModuleSpec(name, None)',
        ].join('\n'),
      });
      const { modules } = await factsWith(
        `sys.path.insert(0, "${site}"); import finder; sys.meta_path.insert(0, finder.Finder)`,
      );
      const names = ['in_place', 'other', 'distutils', 'absent', 'nowhere'];
      expect(names.filter((one) => modules.has(one))).toEqual(['in_place', 'other', 'distutils']);
    });

    test('tells of its modules, when it is too old to tell of its packages', async () => {
      const { modules } = await factsWith(
        'sys.modules.update({"importlib.metadata": None, "importlib_metadata": None})',
      );
      expect(modules.has('json')).toBe(true);
    });
  },
);

describe('what is killed with its children', () => {
  // No two tests of this machine look for the same seconds.
  const marker = `6${process.pid}.5`;
  const haveEnded = async (): Promise<boolean> => {
    const all = await runBounded(['/bin/sh', '-c', 'cat /proc/[0-9]*/cmdline || true'], {}, LONG);
    return !all.replaceAll('\0', ' ').includes(`sleep ${marker} `);
  };

  test('is a program that hangs, at its limit of time', async () => {
    const command = ['/bin/sh', '-c', `sleep ${marker} & sleep ${marker}`] as const;
    await expect(
      runBounded(command, { PATH: '/usr/bin:/bin' }, { ms: 300, bytes: 1000 }),
    ).rejects.toThrow('no answer within 0.3 s');
    await until('the program and its children ended', haveEnded);
  });

  test.each([
    ['prints too much', `sleep ${marker} & exec yes`],
    ['has failed', `sleep ${marker} > /dev/null 2>&1 & exit 3`],
  ])('is an environment that %s', async (_what, script) => {
    expect(await ask(scriptOf(script))).toMatchObject({ state: 'broken' });
    await until('the environment and its children ended', haveEnded);
  });
});

test('what is recorded of the built-in Python is what it has (npm run built-in-python)', async () => {
  const recorded = JSON.parse(readFileSync(BUILT_IN, 'utf8'));
  const facts = JSON.parse(await startPyodide());
  expect(recorded).toEqual({ pyodide: versionOfPyodide(), facts });
  const read = readFacts(facts);
  expect(
    read.ok && ['os', 'json', 'pyodide', 'js'].every((one) => read.facts.modules.has(one)),
  ).toBe(true);
  expect(read.ok && read.facts.modules.has('numpy')).toBe(false);
});

test('an interpreter that hangs ends with its children when the service stops', async () => {
  const marker = `7${process.pid}.5`;
  const python = scriptOf(`sleep ${marker} & sleep ${marker}`);
  const runs = async (): Promise<boolean> => {
    const all = await runBounded(['/bin/sh', '-c', 'cat /proc/[0-9]*/cmdline || true'], {}, LONG);
    return all.replaceAll('\0', ' ').includes(`sleep ${marker} `);
  };
  const stopping = new AbortController();
  const terms = { name: 'here', kind: 'interpreter', python, paths: [root] } as const;
  const asked = askEnvironment(terms, undefined, stopping.signal);
  await until('it runs', runs);
  stopping.abort();
  expect(await asked).toMatchObject({ state: 'broken', why: 'it was stopped' });
  await until('it and its children ended', async () => !(await runs()));
});

const LONG = { ms: 60_000, bytes: 2 ** 26 };
let count = 0;

/** A folder of modules and distributions. */
function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  count += 1;
  const folder = join(root, `site-${count}`);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** What the machine's Python says, changed by some code. */
async function factsWith(code: string): Promise<EnvironmentFacts> {
  const asked = await ask(
    scriptOf(`exec ${PYTHON} -I -c 'import sys; ${code}; exec(sys.argv[1])' "$3"`),
  );
  if (asked.state === 'ready') return asked.facts;
  throw new Error(asked.why);
}

/** An interpreter that does something else, with a prefix of its own. */
function scriptOf(script: string): string {
  count += 1;
  const python = join(root, `python-${count}`);
  writeFileSync(python, `#!/bin/sh\n${script}\n`);
  chmodSync(python, 0o755);
  return python;
}

function ask(python: string) {
  return askEnvironment({ name: 'here', kind: 'interpreter', python, paths: [root] });
}
