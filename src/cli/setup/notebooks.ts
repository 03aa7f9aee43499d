import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { JUPYTER_MODULES, JUPYTER_PACKAGES } from '../../environments/environment.ts';
import { freeOn } from '../../places/disc.ts';
import { isRoot } from '../../places/reachable.ts';
import { mustBeWritable } from '../../places/writable.ts';
import { askEnvironment } from '../../runners/asking/ask.ts';
import { findDefaultIsolation } from '../../runners/process/start/isolation.ts';
import { CannotStart } from '../../words/cannot-start.ts';
import type { Terminal } from '../terminal.ts';
import { findPython, type MachinePython } from './machine-python.ts';
import { pipTrouble, pipProgress } from './pip-progress.ts';
import type { NotebooksPlace } from './place.ts';
import { runStep } from './step.ts';

/** What astronomers import first; each brings a module of its name. */
const PACKAGES = ['numpy', 'scipy', 'pandas', 'matplotlib', 'astropy', 'pyvo'] as const;

/** Ends with the name of a module that cannot be imported, and why. */
const IMPORT_ALL = `
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException as error:
        sys.exit(f"{name} ({type(error).__name__}: {error})")
`;

/** MiB that the environment and its downloads take, with some room. */
const DISC = 1500;
/** How long nothing may be said. */
const SILENCE_MS = 10_000;

/**
 * Makes an environment for notebooks, or goes on where an earlier call ended.
 *
 * @throws CannotStart that says what to do when it cannot be made
 */
export async function makeNotebooks(
  place: NotebooksPlace,
  { out }: Pick<Terminal, 'out'>,
): Promise<{ readonly python: string; readonly packages: number }> {
  const say = (line: string): void => out(`${line}\n`);
  const known = await lookAt(place);
  if (existsSync(place.ready) && known.missing.length === 0) {
    say(`The environment is there already: ${place.venv}`);
    return known;
  }
  const python = pythonOrTrouble();
  mustBeWritable({ folder: place.folder, setting: 'DATA_DIR' });
  await mkdir(place.folder, { recursive: true, mode: 0o755 });
  if (isRoot()) await chmod(place.folder, 0o755);
  const free = await freeOn(place.folder);
  if (free < DISC && !existsSync(place.python))
    throw new CannotStart(`it needs ${DISC} MiB in ${place.folder}, where ${free} MiB are free`);
  await rm(place.ready, { force: true });

  say(`1/3  makes an environment of ${python.path} (Python ${python.version}) in ${place.venv}`);
  await makeEmpty(place, python);
  say(`2/3  installs ${PACKAGES.join(', ')} and Jupyter, with what they need: a few minutes`);
  await install(place, say);
  say('3/3  looks whether notebooks can use them');
  if (isRoot()) await promisify(execFile)('chmod', ['-R', 'u=rwX,go=rX', '--', place.folder]);
  const made = await lookAt(place);
  if (made.missing.length > 0)
    throw new CannotStart(
      `${place.python} ${made.why ?? `lacks ${made.missing.join(', ')}`}: ` +
        `remove ${place.folder} and run the command again`,
    );
  await importAll(place);
  await writeFile(place.ready, JSON.stringify({ python: made.python, packages: made.packages }));
  return made;
}

/** What the user of a machine without a sandbox should know; undefined: there is one. */
export function sandboxWarning(): string | undefined {
  return findDefaultIsolation().sandbox === 'bubblewrap'
    ? undefined
    : 'This machine has no sandbox (bubblewrap): notebooks can read your files.';
}

/** What an environment has, asked as a job sees it. */
async function lookAt({ python }: NotebooksPlace) {
  if (!existsSync(python)) return { python: '', packages: 0, missing: ['Python'], why: undefined };
  const asked = await askEnvironment({ name: 'notebooks', kind: 'interpreter', python, paths: [] });
  if (asked.state === 'broken')
    return { python: '', packages: 0, missing: ['an answer'], why: asked.why };
  const { facts } = asked;
  const missing = [...PACKAGES, ...JUPYTER_MODULES].filter((name) => !facts.modules.has(name));
  return { python: facts.python, packages: facts.packages.size, missing, why: undefined };
}

/** A package may be there and not work: libraries of the machine that it needs, half an upgrade. */
async function importAll({ python, folder }: NotebooksPlace): Promise<void> {
  const words = ['-I', '-c', IMPORT_ALL, ...PACKAGES, ...JUPYTER_MODULES];
  const { status, lines } = await runStep(python, words, () => undefined);
  if (status !== 0)
    throw new CannotStart(
      `${python} cannot import ${lines.at(-1) ?? 'its packages'}: ` +
        `remove ${folder} and run the command again`,
    );
}

function pythonOrTrouble(): MachinePython {
  const found = findPython();
  if ('path' in found) return found;
  throw new CannotStart(
    [
      'there is no Python 3 that can make an environment (Debian: apt-get install python3 python3-venv)',
    ]
      .concat(found)
      .join('\n  '),
  );
}

/** An environment whose interpreter is gone is begun anew; half of one is completed. */
async function makeEmpty({ venv, python }: NotebooksPlace, { path }: MachinePython): Promise<void> {
  const again = existsSync(venv) && !existsSync(python) ? ['--clear'] : [];
  const { status, lines } = await runStep(
    path,
    ['-I', '-m', 'venv', ...again, venv],
    () => undefined,
  );
  if (status !== 0) throw new CannotStart(`no environment could be made: ${pipTrouble(lines)}`);
}

async function install({ python }: NotebooksPlace, say: (line: string) => void): Promise<void> {
  const begun = performance.now();
  let saidAt = begun;
  const tell = (text: string): void => {
    saidAt = performance.now();
    say(`     ${String(Math.round((saidAt - begun) / 1000)).padStart(3)} s  ${text}`);
  };
  const timer = setInterval(() => {
    if (performance.now() - saidAt > SILENCE_MS) tell('…');
  }, 1000);
  try {
    const quiet = ['--progress-bar', 'off', '--no-color', '--disable-pip-version-check'];
    const { status, lines } = await runStep(
      python,
      [
        '-I',
        '-m',
        'pip',
        'install',
        '--no-input',
        '--no-user',
        ...quiet,
        ...PACKAGES,
        ...JUPYTER_PACKAGES,
      ],
      (line) => {
        const progress = pipProgress(line);
        if (progress !== undefined) tell(progress);
      },
    );
    if (status !== 0) throw new CannotStart(pipTrouble(lines));
  } finally {
    clearInterval(timer);
  }
}
