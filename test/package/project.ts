import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** The files of the project that `npm pack` reads. */
const PACKED = ['package.json', 'tsconfig.json', 'LICENSE', 'README.md', 'src', 'scripts', 'docs'];

/** Another project that has only the package installed. */
export type Project = {
  /** The files of the package, as paths. */
  readonly files: readonly string[];
  /** `package.json` after packing, which must be the project's again. */
  readonly manifestAfter: string;
  readonly write: (name: string, text: string) => Promise<void>;
  /**
   * Runs a program with plain `node`.
   * @returns its output; throws Error with the output if it fails
   */
  readonly node: (...args: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
};

/**
 * Packs the project like `npm pack`, and installs the package into an empty folder without network.
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

/** The project's compiler. */
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
