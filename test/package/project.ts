import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** What `npm pack` reads of the project. */
const PACKED = ['package.json', 'tsconfig.json', 'LICENSE', 'README.md', 'src', 'scripts', 'docs'];

/** A program of somebody else, in a project that has the package installed and nothing else. */
export type Project = {
  /** The files of the package, as paths. */
  readonly files: readonly string[];
  /** `package.json` after packing: that of the project again. */
  readonly manifestAfter: string;
  readonly write: (name: string, text: string) => Promise<void>;
  /**
   * Runs a program with plain `node`.
   * @returns what it printed; throws Error with what it wrote when it fails
   */
  readonly node: (...args: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
};

/**
 * Packs the project as `npm pack` does, and installs what comes out into an
 * empty folder, without network.
 */
export async function openProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-package-'));
  try {
    return await installed(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The compiler that the project is checked with. */
export const COMPILER = join(root, 'node_modules/typescript7/bin/tsc');

async function installed(folder: string): Promise<Project> {
  const [copy, own] = [join(folder, 'copy'), join(folder, 'own')];
  const npm = async (cwd: string, ...args: readonly string[]): Promise<string> =>
    (
      await run('npm', [...args], {
        cwd,
        env: { ...process.env, npm_config_cache: join(folder, 'cache') },
        maxBuffer: 1 << 24,
      })
    ).stdout;
  await Promise.all(
    PACKED.map((name) => cp(join(root, name), join(copy, name), { recursive: true })),
  );
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const packed: unknown = JSON.parse(
    await npm(copy, 'pack', '--json', '--pack-destination', folder),
  );
  const [{ filename, files }] = Object(packed);
  await mkdir(own);
  await writeFile(join(own, 'package.json'), '{ "type": "module" }');
  await npm(own, 'install', '--offline', '--no-audit', '--no-fund', join(folder, String(filename)));
  return {
    files: Array.from(files, (file) => String(Object(file).path)),
    manifestAfter: await readFile(join(copy, 'package.json'), 'utf8'),
    write: (name, text) => writeFile(join(own, name), text),
    node: async (...args) => (await run(process.execPath, [...args], { cwd: own, env: {} })).stdout,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
