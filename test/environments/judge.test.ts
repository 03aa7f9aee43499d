import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  BUILT_IN_NOTEBOOK_MODULES,
  type PythonEnvironment,
} from '../../src/environments/environment.ts';
import { keyOfRequirements } from '../../src/environments/requirements-key.ts';
import type { Ask } from '../../src/planner/ask.ts';
import { readSeedAsk } from '../../src/dialects/seed/read.ts';
import type { Site } from '../../src/site/site.ts';
import { siteOf } from '../harness/asks.ts';
import { environmentWith, factsOf, siteWith } from './with-packages.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { decide, offersOf, refusals } from '../planner/decide.ts';

const JUPYTER = {
  nbclient: '1',
  nbformat: '1',
  nbconvert: '1',
  jupyter_client: '1',
  ipykernel: '1',
};
const PLAIN = environmentWith('plain', JUPYTER);
const ASTRO = environmentWith('astro', { ...JUPYTER, numpy: '1.24.2', astropy: '5.2.1' });
const BROKEN: PythonEnvironment = { name: 'old', kind: 'interpreter', state: 'broken', why: 'x' };
const NOTEBOOKS = { runner: 'notebook', 'task-types': ['jupyter-notebook', 'python-program'] };

describe('a task in Python', () => {
  test('gets the first environment that has what it needs, and the offer says which', () => {
    const site = siteOfLists({ a: [BROKEN, PLAIN, ASTRO] });
    expect(environmentsFor(program('import os'), site)).toEqual([
      { name: 'plain', python: '3.11.2' },
    ]);
    expect(environmentsFor(program('import numpy'), site)).toEqual([
      { name: 'astro', python: '3.11.2' },
    ]);
  });

  test('gets the environment that it names', () => {
    const site = siteOfLists({ a: [PLAIN, ASTRO] });
    expect(environmentsFor(program('', { environment: 'astro' }), site)).toEqual([
      { name: 'astro', python: '3.11.2' },
    ]);
    expect(refusals(decide(program('', { environment: 'none' }), site))).toEqual([
      {
        code: 'environment-unknown',
        place: { what: 'spec', at: 'environment' },
        destination: 'a',
        asked: { kind: 'text', value: 'none' },
        limit: { kind: 'text', value: 'plain, astro' },
      },
    ]);
  });

  test('is told of a hundred missing imports at most', () => {
    const source = Array.from({ length: 20_000 }, (_, at) => `import none${at}`).join('\n');
    const site = siteOfLists({ a: [PLAIN], b: [PLAIN] });
    expect(refusals(decide(program(source), site))).toHaveLength(200);
  });

  test('goes to the destination that has it', () => {
    const site = siteOfLists({ a: [PLAIN], b: [ASTRO] });
    const planned = decide(program('', { requirements: ['numpy'] }), site);
    expect(offersOf(planned).map(({ destination }) => destination)).toEqual(['b']);
  });

  test('is refused without its package, by name and place', () => {
    const site = siteOfLists({ a: [PLAIN] });
    expect(refusals(decide(program('', { requirements: ['os2', 'numpy>1'] }), site))).toMatchObject(
      [
        { code: 'package-missing', place: { at: 'requirements[0]' }, asked: { value: 'os2' } },
        { code: 'package-missing', place: { at: 'requirements[1]' }, asked: { value: 'numpy>1' } },
      ],
    );
  });

  test('is refused with another version, which the environment that lacks least says', () => {
    const site = siteOfLists({ a: [PLAIN, ASTRO] });
    const text = '# ours\nastropy>=6\n';
    expect(refusals(decide(program('', { requirements: text }), site))).toEqual([
      {
        code: 'package-version',
        place: { what: 'spec', at: 'requirements' },
        destination: 'a',
        asked: { kind: 'text', value: 'astropy>=6' },
        limit: { kind: 'text', value: '5.2.1' },
        detail: 'The environment is astro. Line 2 of the requirements names it.',
      },
    ]);
  });

  test('is refused when it imports what nobody brings, unless its client knows better', () => {
    const site = siteOfLists({ a: [PLAIN] });
    expect(refusals(decide(program('import os\nimport numpy.linalg'), site))).toMatchObject([
      {
        code: 'module-missing',
        place: { what: 'spec', at: 'source' },
        asked: { value: 'numpy' },
        detail: 'Line 2 imports it, and plain lacks it.',
      },
    ]);
    expect(environmentsFor(program('import numpy', { 'check-imports': false }), site)).toHaveLength(
      1,
    );
  });

  test.each([
    ['may import what it looks for itself', 'import sys\nsys.path.append("lib")\nimport mine'],
    ['may import from where it goes', 'import os\nos.chdir("lib")\nimport mine'],
    ['may import what it installs', 'import pip\npip.main(["install", "mine"])\nimport mine'],
    ['may import what it writes', 'open("mine.py", "w").close()\nimport mine'],
    ['may import what it can do without', 'try:\n    import mine\nexcept ImportError: pass'],
  ])('%s', (_what, source) => {
    expect(environmentsFor(program(source), siteOfLists({ a: [PLAIN] }))).toHaveLength(1);
  });

  test('may import the folder that it mounts', () => {
    const ask = askOf('python-program', { source: 'import mine' }, [
      { name: 'code', path: 'mine', mode: 'r' },
    ]);
    const site = siteOfLists({ a: [PLAIN] });
    expect(environmentsFor(ask, site)).toHaveLength(1);
    const [part, ...rest] = ask.parts;
    const unmounted: Ask = { ...ask, parts: [{ ...part, volumes: [] }, ...rest] };
    expect(refusals(decide(unmounted, site))).toMatchObject([
      { code: 'module-missing', asked: { value: 'mine' } },
    ]);
  });

  test('is refused where all environments are broken', () => {
    expect(refusals(decide(program(''), siteOfLists({ a: [BROKEN] })))).toMatchObject([
      { code: 'environment-broken', place: { what: 'task' }, asked: { value: 'old' } },
    ]);
  });

  test('is refused with needs where nobody knows what is installed, and welcome without', () => {
    const site = siteOfLists({ a: undefined });
    expect(environmentsFor(program('print(1)'), site)).toEqual([undefined]);
    expect(environmentsFor(program('import numpy', { 'check-imports': false }), site)).toEqual([
      undefined,
    ]);
    const note = 'Nobody knows what is installed there, so nobody checked what the code imports.';
    expect(environmentsFor(program('import numpy'), site)).toEqual([{ note }]);
    expect(environmentsFor(program('import os, sys'), site)).toEqual([undefined]);
    const needs = { requirements: ['numpy'], environment: 'astro' };
    expect(refusals(decide(program('', needs), site))).toMatchObject([
      { code: 'environment-unknown', place: { at: 'requirements' } },
      { code: 'environment-unknown', place: { at: 'environment' }, asked: { value: 'astro' } },
    ]);
  });
});

describe('a notebook', () => {
  test('needs what its cells import, but for magics and cells in other languages', () => {
    const site = siteOfLists({ a: [PLAIN] });
    const cells = ['%matplotlib inline', '%%bash\nimport no', '%%time\nimport os, numpy'];
    expect(refusals(decide(notebook(...cells), site))).toMatchObject([
      {
        code: 'module-missing',
        place: { at: 'content' },
        detail: 'Cell 3 imports it, and plain lacks it.',
      },
    ]);
  });

  test.each([
    ['an earlier cell writes', '%%writefile helper.py\nx = 1'],
    ['an earlier cell fetches', '!curl -O https://example.org/helper.py'],
    ['an earlier cell unpacks', '%%sh\ntar x code/helper/'],
    ['an earlier cell installs', '%pip install --no-index --find-links wheels helper'],
    ['lies where an earlier line makes Python look', 'import sys\nsys.path.append("lib")'],
    ['an earlier cell installs with another magic', '%conda install -y helper'],
    ['an earlier line installs', 'x = 1\n!python -m pip install helper'],
    ['an earlier cell of a shell installs', '%%bash\ncd x && pip install helper'],
    ['lies where an earlier line goes', '%cd lib'],
  ])('may import the module that %s', (_what, cell) => {
    const ask = notebook(cell, 'import helper');
    expect(environmentsFor(ask, siteOfLists({ a: [PLAIN] }))).toHaveLength(1);
  });

  test.each([
    ['a comment', '# pip install helper'],
    ['a comment of a command', '!ls # pip install helper'],
    ['a comment of a shell', '%%bash\n# pip install helper\nls'],
    ['a page', '%%html\npip install helper'],
    ['a list', '!pip list'],
    ['a URL', '!echo https://github.com/helper/helper/x'],
    ['a file of an astronomer', '!ls data/uv *.fits'],
    ['a folder in a shell', '%%bash\nls ../uv -l ../pip -l'],
    ['a word in brackets', '!echo "see (pip docs)"'],
    ['a list of environments', '!conda env list'],
    ['a file that is written', '%%writefile README.md\npip install helper'],
    ['a script that never runs', '%%script false\npip install helper'],
  ])('needs what it imports where only %s could say how to install it', (_what, cell) => {
    const ask = notebook(cell, 'import helper');
    expect(refusals(decide(ask, siteOfLists({ a: [PLAIN] })))).toHaveLength(1);
  });

  test.each(['raises-exception', 'skip-execution'])('may do without a cell tagged %s', (tag) => {
    const cell = { cell_type: 'code', metadata: { tags: [tag] }, source: 'import helper' };
    const content = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] };
    const ask = askOf('jupyter-notebook', { content });
    expect(environmentsFor(ask, siteOfLists({ a: [PLAIN] }))).toHaveLength(1);
  });

  test('may do without what a cell installs, and not when that is left out', () => {
    const cells = ['!pip install helper', 'import helper'].map((source, at) => ({
      cell_type: 'code',
      metadata: { tags: at === 0 ? ['skip-execution'] : [] },
      source,
    }));
    const ask = askOf('jupyter-notebook', { content: { nbformat: 4, metadata: {}, cells } });
    expect(refusals(decide(ask, siteOfLists({ a: [PLAIN] })))).toHaveLength(1);
  });

  test('imports IPython from the built-in Python, whose kernel brings it for notebooks alone', () => {
    const facts = factsOf({});
    const site = siteOfLists({ a: [{ name: 'built-in', kind: 'pyodide', state: 'ready', facts }] });
    const source = 'from IPython.display import display';
    expect(environmentsFor(notebook(source), site)).toHaveLength(1);
    expect(refusals(decide(program(source), site))).toMatchObject([{ code: 'module-missing' }]);
    const kernel = readFileSync('src/runners/notebook/kernel.py', 'utf8');
    const brought = [...kernel.matchAll(/sys\.modules\["(\w+)"\]/g)].map(([, name]) => name);
    expect(new Set(brought)).toEqual(new Set([...BUILT_IN_NOTEBOOK_MODULES, '__main__']));
  });

  test('needs an interpreter with Jupyter, and a program does not', () => {
    const site = siteOfLists({ a: [environmentWith('bare', {})] });
    expect(refusals(decide(notebook('1'), site))).toMatchObject([
      {
        code: 'module-missing',
        needed: { value: 'nbclient' },
        detail: 'Notebooks need it in bare.',
      },
    ]);
    expect(environmentsFor(program('1'), site)).toHaveLength(1);
  });
});

describe('an environment that is made for the task', () => {
  const any = (unmet: Readonly<Record<string, string>> = {}): PythonEnvironment => ({
    name: 'any',
    kind: 'venv',
    state: 'ready',
    facts: factsOf({}),
    unmet: new Map(Object.entries(unmet).map(([one, why]) => [keyOfRequirements([one]), why])),
  });

  test('takes what no other one has, whatever their order', () => {
    const site = siteOfLists({ a: [any(), ASTRO] });
    const nameFor = (ask: Ask) => environmentsFor(ask, site).map((one) => one?.name);
    expect(nameFor(program('import numpy'))).toEqual(['astro']);
    expect(nameFor(program('', { requirements: ['numpy>=2'] }))).toEqual(['any']);
    expect(nameFor(program('import numpy', { environment: 'any' }))).toEqual([]);
    expect(nameFor(notebook('import IPython'))).toEqual(['any']);
  });

  test('judges imports where the task needs no packages alone: nobody knows their modules', () => {
    const site = siteOfLists({ a: [any()] });
    expect(environmentsFor(program('import yaml', { requirements: ['PyYAML'] }), site)).toEqual([
      {
        name: 'any',
        python: '3.11.2',
        note:
          'Nobody checked yaml (line 1), which any lacks: ' +
          'packages show which modules they bring when they are there.',
      },
    ]);
    const named = program('import yaml', { requirements: ['Yaml'] });
    expect(notesFor(named, site)).toEqual([undefined]);
    const needless = ["yaml; python_version < '3'"];
    for (const requirements of [undefined, needless])
      expect(refusals(decide(program('import os, yaml', { requirements }), site))).toMatchObject([
        { code: 'module-missing', asked: { value: 'yaml' } },
      ]);
  });

  test('is refused with the words of its index where it was tried in vain', () => {
    const site = siteOfLists({ a: [any({ 'star>=2': 'there is star 1' })] });
    expect(refusals(decide(program('', { requirements: ['Star >= 2'] }), site))).toMatchObject([
      {
        code: 'requirements-unmet',
        place: { what: 'spec', at: 'requirements' },
        detail: 'The environment any cannot be made: there is star 1',
      },
    ]);
    expect(environmentsFor(program('', { requirements: ['star'] }), site)).toHaveLength(1);
  });
});

test('a task that is not in Python has no environment', () => {
  const site = siteOfLists({ a: [BROKEN] }, { 'task-types': ['executable'], runner: 'process' });
  expect(environmentsFor(askOf('executable', { command: ['true'] }), site)).toEqual([undefined]);
});

describe('an offer says what nobody checked', () => {
  const LOOKS = 'changes where Python looks for modules.';
  const INSTALLS = 'installs packages, which fails without a network.';

  test.each([
    ['import sys\nsys.path.append("x")\nimport mine', `mine (line 3)`, `line 2 ${LOOKS}`],
    ['import mine\nimport pip\npip.main()', `mine (line 1), pip (line 2)`, `line 2 ${INSTALLS}`],
    ['open("mine.py", "w")\nimport mine', 'mine (line 2)', 'the code names a file of it.'],
    ['def f():\n  import mine', 'mine (line 2)', 'the code may do without it.'],
    [
      'try:\n  import mine\nexcept ImportError: pass',
      'mine (line 2)',
      'the code may do without it.',
    ],
    [
      `try:\n  import ${'abcdefg'.split('').join(',')}\nexcept ImportError: pass`,
      'a (line 2), b (line 2), c (line 2), d (line 2), e (line 2) and 2 more',
      'the code may do without it.',
    ],
  ])('of the program %j', (source, modules, reason) => {
    const site = siteOfLists({ a: [PLAIN] });
    expect(notesFor(program(source), site)).toEqual([
      `Nobody checked ${modules}, which plain lacks: ${reason}`,
    ]);
    expect(notesFor(program(source, { 'check-imports': false }), site)).toEqual([undefined]);
  });

  test.each([
    [['%pip install mine', 'import mine'], `mine (cell 2), which plain lacks: cell 1 ${INSTALLS}`],
    [['import os', '%cd x', 'import mine'], `mine (cell 3), which plain lacks: cell 2 ${LOOKS}`],
  ])('of the notebook %j', (cells, note) => {
    const site = siteOfLists({ a: [PLAIN] });
    expect(notesFor(notebook(...cells), site)).toEqual([`Nobody checked ${note}`]);
  });

  test('in few words, however long the name of a module is', () => {
    const site = siteOfLists({ a: [PLAIN] });
    const name = 'a'.repeat(900_000);
    const [note] = notesFor(program(`try:\n  import ${name}\nexcept ImportError: pass`), site);
    expect(note?.length).toBeLessThan(500);
    const [refusal] = refusals(decide(program(`import ${name}`), site));
    expect(JSON.stringify(refusal).length).toBeLessThan(500);
  });

  test('of what is there only where it cannot be known', () => {
    const site = siteOfLists({ a: [ASTRO] });
    expect(notesFor(program('def f():\n  import numpy'), site)).toEqual([undefined]);
    expect(notesFor(notebook('%pip install numpy', 'import numpy'), site)).toEqual([
      'Cell 1 installs packages, which fails without a network.',
    ]);
    expect(notesFor(program('import os\nx = __import__("numpy")'), site)).toEqual([
      'Line 2 imports by a name that nobody checked.',
    ]);
  });
});

function notesFor(ask: Ask, site: Site) {
  return environmentsFor(ask, site).map((one) => one?.note);
}

function environmentsFor(ask: Ask, site: Site) {
  return offersOf(decide(ask, site)).map(({ promised }) => promised.environment);
}

function siteOfLists(
  lists: Readonly<Record<string, readonly PythonEnvironment[] | undefined>>,
  destination: object = NOTEBOOKS,
): Site {
  const site = siteOf(Object.fromEntries(Object.keys(lists).map((id) => [id, destination])), {
    'max-offers': 1,
  });
  return siteWith(site, lists);
}

function program(source: string, needs: object = {}): Ask {
  return askOf('python-program', { source, ...needs });
}

function notebook(...sources: readonly string[]): Ask {
  const cells = sources.map((source) => ({ cell_type: 'code', metadata: {}, source }));
  const content = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
  return askOf('jupyter-notebook', { content });
}

function askOf(type: string, spec: object, volumes: readonly object[] = []): Ask {
  const understood = readSeedAsk(
    Object({
      task: { type: `https://www.purl.org/ivoa-net/task-type/${type}`, spec },
      resources: {
        compute: [{ 'min-cores': 1, 'min-memory': '1GiB', volumes }],
        storage: volumes.map(({ name }: { name?: string }) => ({
          name,
          type: 'https://www.purl.org/ivoa-net/storage-type/ephemeral',
          size: '1GiB',
        })),
      },
    }),
    vocabularyOf(builtInKnown, siteOf({ a: {} })),
  );
  if (understood.ok) return understood.ask;
  throw new Error(JSON.stringify(understood.refusals));
}
