import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { needs, type Missing } from '../engines/packages.ts';

const run = promisify(execFile);

const VERSION = '7.23.0';
const SHA256 = 'cb087e40001e31eb08ef6140dd5de10938dbeb89016a1fe0481eaa25cd569026';
const NAME = `openapi-generator-cli-${VERSION}.jar`;
/** Maven Central, or a mirror that the environment names. */
const REGISTRY = process.env['MAVEN_REGISTRY'] ?? 'https://repo1.maven.org/maven2';
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'execution-planner');
/** The imports of the generated client, pinned; its own requirements are ranges. */
const PYTHON = [
  'urllib3==2.8.0',
  'python-dateutil==2.9.0.post0',
  'pydantic==2.12.5',
  'typing-extensions==4.15.0',
];

/**
 * Why a client cannot be generated and run here; the check asks the registries, since the tests
 * need them.
 */
export function missing(): Missing {
  const packages = needs('default-jre-headless', 'python3-venv');
  if (packages !== undefined) return packages;
  try {
    execFileSync(
      'curl',
      [
        '-sSfIL',
        '-m',
        '30',
        '-o',
        '/dev/null',
        `${REGISTRY}/org/openapitools/openapi-generator-cli/${VERSION}/${NAME}`,
      ],
      { stdio: 'pipe' },
    );
    return undefined;
  } catch {
    return `${REGISTRY} does not answer`;
  }
}

/**
 * Generates a Python client of a contract.
 *
 * @param contract path or URL
 * @param folder is made by the caller and has the client, and a Python that can import it
 * @param name of the client's Python package
 * @returns the Python
 */
export async function generateClient(
  contract: string,
  folder: string,
  name = 'planner_client',
): Promise<string> {
  const client = join(folder, 'client');
  await run(
    'java',
    [
      '-jar',
      await generator(),
      'generate',
      '-g',
      'python',
      '-i',
      contract,
      '-o',
      client,
      '--package-name',
      name,
    ],
    { maxBuffer: 2 ** 26 },
  );
  const venv = join(folder, 'venv');
  await run('/usr/bin/python3', ['-m', 'venv', venv]);
  const python = join(venv, 'bin', 'python');
  await run(python, ['-m', 'pip', 'install', '-q', ...PYTHON], { maxBuffer: 2 ** 26 });
  await writeFile(
    join(venv, 'lib', await versionOf(python), 'site-packages', 'planner.pth'),
    `${client}\n`,
  );
  return python;
}

/** The generator, from an earlier run or from the registry. */
async function generator(): Promise<string> {
  const path = join(CACHE, NAME);
  const kept = await readFile(path).catch(() => undefined);
  if (kept !== undefined && isWhole(kept)) return path;
  const response = await fetch(
    `${REGISTRY}/org/openapitools/openapi-generator-cli/${VERSION}/${NAME}`,
  );
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!response.ok || !isWhole(bytes))
    throw new Error(`${response.url} answers ${response.status} with ${bytes.length} other bytes`);
  await mkdir(CACHE, { recursive: true });
  // Several runs may do this at the same time.
  const own = await mkdtemp(join(CACHE, 'new-'));
  await writeFile(join(own, NAME), bytes);
  await rename(join(own, NAME), path);
  return path;
}

function isWhole(bytes: Uint8Array): boolean {
  return createHash('sha256').update(bytes).digest('hex') === SHA256;
}

async function versionOf(python: string): Promise<string> {
  return (
    await run(python, [
      '-c',
      'import sys; print(f"python{sys.version_info[0]}.{sys.version_info[1]}")',
    ])
  ).stdout.trim();
}
