import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../docs/sources/markdown.ts';
import { needs, type Missing } from '../engines/packages.ts';
import { DEBIAN, read } from './pythons.ts';

const run = promisify(execFile);

export const CLIENT = join(root, 'clients/python');
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'execution-planner');
const REQUIREMENTS = join(CLIENT, 'tests/requirements.txt');
const LISTS = [join(CLIENT, 'pyproject.toml'), REQUIREMENTS];
const INDEX = process.env['PIP_INDEX_URL'] ?? 'https://pypi.org/simple';

/** Extras of the client, and whether its tests and pages run there. */
export type Wanted = {
  readonly python?: string;
  readonly extras: readonly string[];
  readonly tests?: boolean;
};

/** Everything that tests and pages want; they share one environment, which takes a while to make. */
export const EVERYTHING: Wanted = { extras: ['cli', 'vo', 'tls'], tests: true };

/** Why there can be no environments with packages of the index. */
export function missingIndex(): Missing {
  const packages = needs('python3-venv', 'curl');
  if (packages !== undefined) return packages;
  try {
    const words = ['-sSfIL', '-m', '30', '-o', '/dev/null', `${INDEX.replace(/\/$/, '')}/httpx/`];
    execFileSync('curl', words, { stdio: 'pipe' });
    return undefined;
  } catch {
    return `${INDEX} does not answer`;
  }
}

/**
 * The Python of an environment that imports the client from this tree. It is kept between runs,
 * and made again when a list of what it needs has changed.
 */
export async function clientVenv({
  python = DEBIAN,
  extras,
  tests = false,
}: Wanted): Promise<string> {
  const slot = digestOf([root, python, `${tests}`, ...extras]);
  const [folder, made] = [join(CACHE, `venv-${slot}`), join(CACHE, `venv-${slot}.made`)];
  const lists = await Promise.all(LISTS.map((file) => readFile(file, 'utf8')));
  const stamp = digestOf([...lists, read(python)?.version ?? '']);
  const also = tests ? ['--requirement', REQUIREMENTS] : [];
  const client = extras.length === 0 ? CLIENT : `${CLIENT}[${extras.join()}]`;
  await mkdir(CACHE, { recursive: true });
  // Test files run at the same time. The kernel lets go of the lock of a process that was killed.
  await run(
    'flock',
    [`${made}.lock`, 'bash', '-euc', MAKE, 'make', folder, made, stamp, python, client, ...also],
    { maxBuffer: 2 ** 26 },
  );
  return join(folder, 'bin', 'python');
}

const MAKE = `
folder=$1 made=$2 stamp=$3 python=$4 client=$5
shift 5
[ "$(cat "$made" 2>/dev/null)" = "$stamp" ] && exit 0
rm -rf "$folder" "$made"
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --editable "$client" "$@"
printf %s "$stamp" > "$made"
`;

function digestOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
}
