import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { readMarkdown } from '../docs/sources/markdown.ts';
import { differencesInPython } from '../docs/sources/python-session.ts';
import { openShellSession, type ShellSession } from '../docs/sources/shell-session.ts';
import { withEngine } from '../engines/summary.ts';
import { OLDEST, pythons, type Python } from './pythons.ts';
import { CLIENT, clientVenv, EVERYTHING, missingIndex } from './venv.ts';

/** What a program wrote to both outputs, and how it ended. */
type Ended = { readonly code: number | null; readonly said: string };

/** Four minutes on two quiet cores; on busy ones ten times as long is no failure. */
const HANGS_MS = 2_400_000;
/** A line of pytest's, such as `....F...  [ 42%]`. */
const PROGRESS = /^[.sxXFE]+ +\[ *\d+%\]\n/gm;
/** Has the plug-in `without_service` of pytest. */
const PLUGINS = fileURLToPath(new URL('.', import.meta.url));

const missing = missingIndex();

withEngine('the Python client', missing, () => {
  let python: string;
  beforeAll(async () => {
    python = await clientVenv(EVERYTHING);
  });

  test(
    'passes its tests, with the real service',
    async () => {
      expect(await failuresOf(python)).toBe('');
    },
    HANGS_MS,
  );

  test('has the reference that its docstrings make', async () => {
    const { said } = await runPython(python, ['scripts/reference.py', '--check']);
    expect(said).toBe('');
  });

  test('has types that mypy finds nothing wrong with, for its oldest Python as well', async () => {
    for (const version of [[], ['--python-version', `3.${OLDEST}`]]) {
      const words = ['-m', 'mypy', '--strict', '--cache-dir=/dev/null', ...version];
      const { said } = await runPython(python, [...words, '-p', 'execution_planner']);
      expect(said).toMatch(/^Success: no issues found in \d+ source files\n$/);
    }
  });
});

describe('the Python client with other Pythons', () => {
  const all = pythons();
  const [oldest, newest] = [all.find(({ minor }) => minor === OLDEST), all.at(-1)];
  let opened: Promise<ShellSession> | undefined;
  /** One service for all of them, since its start takes 7 s of a core: the page leaves nothing. */
  const session = () => (opened ??= openShellSession('npm start'));
  promise(`the oldest, 3.${OLDEST}`, oldest, session);
  promise(`the newest, ${newest?.version}`, newest === oldest ? undefined : newest, session);
  afterAll(async () => (await opened)?.close());
});

/** What a version of Python lacks shows without a service, and in one conversation with it. */
function promise(
  title: string,
  python: Python | undefined,
  session: () => Promise<ShellSession>,
): void {
  const absent = python === undefined ? 'there is no such Python' : undefined;
  withEngine(`with ${title}`, missing ?? absent, () => {
    let own: string;
    beforeAll(async () => {
      own = await clientVenv({ python: python?.path ?? '', extras: ['cli'], tests: true });
    });

    test('passes its tests that need no service', async () => {
      expect(await failuresOf(own, '-p', 'without_service')).toBe('');
    });

    test('has the conversation of its page', async () => {
      const page = await readMarkdown('clients/python/README.md');
      expect(await differencesInPython(page, own, await session())).toEqual([]);
    });
  });
}

/** @returns what pytest says of failures, with their places; nothing if all passed */
async function failuresOf(python: string, ...words: readonly string[]): Promise<string> {
  const quiet = ['-q', '--no-header', '--tb=short', '-rsfE', '-p', 'no:cacheprovider'];
  const { code, said } = await runPython(python, ['-m', 'pytest', ...quiet, ...words]);
  if (code === 0 && /^\d+ passed/m.test(said)) return '';
  return `pytest ended with ${code}\n${said.replaceAll(PROGRESS, '')}`;
}

async function runPython(python: string, words: readonly string[]): Promise<Ended> {
  const child = spawn(python, words, {
    cwd: CLIENT,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PY_COLORS: '0', PYTHONPATH: PLUGINS },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
  const [code] = await once(child, 'close');
  return { code, said };
}
