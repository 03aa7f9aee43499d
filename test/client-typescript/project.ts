import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../docs/sources/markdown.ts';

const run = promisify(execFile);

/** What the package depends on, and the types of Node, from the project's own packages. */
const NEEDED = ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types'];

/** Another project that has the packed client installed. */
export type Project = {
  /** the files of the package, as paths */
  readonly files: readonly string[];
  readonly write: (name: string, text: string) => Promise<void>;
  /** Runs a program in it. @returns its output; throws Error with the output if it fails */
  readonly run: (program: string, ...args: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Packs the client like `npm pack`, and unpacks it where npm would install it. */
export async function openProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-client-'));
  const packages = join(folder, 'node_modules');
  const own = join(packages, 'execution-planner-client');
  await mkdir(own, { recursive: true });
  const tarball = await packed(folder);
  await run('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  await Promise.all(
    NEEDED.map((name) =>
      cp(join(root, 'node_modules', name), join(packages, name), { recursive: true }),
    ),
  );
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const { stdout } = await run('tar', ['-tzf', tarball]);
  return {
    files: stdout.trim().split('\n').toSorted(),
    write: (name, text) => writeFile(join(folder, name), text),
    run: async (program, ...args) => {
      const ended = run(program, [...args], { cwd: folder });
      return (
        await ended.catch(({ stdout, stderr }) => {
          throw new Error(`${stdout}${stderr}`);
        })
      ).stdout;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Packs a copy, since other tests may pack the client at the same time. */
async function packed(folder: string): Promise<string> {
  const copy = join(folder, 'copy');
  const client = join(copy, 'clients/typescript');
  await cp(join(root, 'clients/typescript'), client, {
    recursive: true,
    filter: (path) => !/\/(?:dist|node_modules)(?:\/|$)/.test(path.slice(root.length)),
  });
  await cp(join(root, 'src/generated/api.d.ts'), join(copy, 'src/generated/api.d.ts'));
  await cp(join(root, 'tsconfig.json'), join(copy, 'tsconfig.json'));
  await run('ln', ['-s', join(root, 'node_modules'), join(copy, 'node_modules')]);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: client,
    env: { ...process.env, npm_config_cache: join(folder, 'cache') },
    maxBuffer: 1 << 24,
  });
  const [{ filename }] = JSON.parse(stdout);
  await rm(copy, { recursive: true });
  return join(folder, String(filename));
}
