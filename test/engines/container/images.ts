import { cpSync, globSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseReference, type RegistryImage } from '../../../src/tasks/image.ts';
import { command } from '../daemon.ts';

/** The tests' image in the registry, and the one with Python. */
export const IMAGE = 'ci/bb:1';
export const PYTHON_IMAGE = 'ci/python:3';

/** Where Debian has its Python packages. */
const DEBIAN_PACKAGES = '/usr/lib/python3/dist-packages';

const TOOLS = [
  'sh',
  'echo',
  'cat',
  'sleep',
  'env',
  'id',
  'ls',
  'head',
  'tr',
  'mkdir',
  'touch',
  'wc',
  'setsid',
  'grep',
  'mount',
  'chmod',
  'ln',
  'seq',
  'sort',
  'printf',
  'ip',
  'test',
  'kill',
  'true',
  'uname',
  'dmesg',
];

/** The image at a path of a registry. */
export function imageOf(registry: string, path: string): RegistryImage {
  const image = parseReference(`${registry}/${path}`);
  if (image === undefined) throw new Error(`no reference: ${registry}/${path}`);
  return image;
}

/** Pushes the tests' image to a registry, and writes it to `image.tar`. */
export function pushImage(folder: string, registry: string, env: NodeJS.ProcessEnv): void {
  const file = rootFileSystem(folder);
  const name = `${registry}/${IMAGE}`;
  command(
    'podman',
    [
      'import',
      '--change',
      'CMD ["/bin/sh","-c","echo the command of the image"]',
      '--change',
      'ENV PATH=/bin',
      '--change',
      'USER 0',
      '--change',
      'VOLUME /declared',
      file,
      name,
    ],
    { env },
  );
  command('podman', ['push', name], { env });
  command('podman', ['save', '--format', 'docker-archive', '-o', join(folder, 'image.tar'), name], {
    env,
  });
  command('podman', ['rmi', name], { env });
}

/**
 * Pushes an image of busybox with the machine's Python and its standard library, if they are in
 * Debian's places.
 *
 * @param packages Debian's Python packages to add, with the libraries that they link
 */
export function pushPython(
  folder: string,
  registry: string,
  env: NodeJS.ProcessEnv,
  packages: readonly string[] = [],
): void {
  const python = realpathSync('/usr/bin/python3');
  const library = `/usr/lib/${basename(python)}`;
  const added = globSync(
    packages.flatMap((name) => [name, `${name}-*.egg-info`]),
    { cwd: DEBIAN_PACKAGES },
  ).map((name) => join(DEBIAN_PACKAGES, name));
  const linked = [
    python,
    ...globSync([join(library, 'lib-dynload'), ...added].map((path) => join(path, '**/*.so'))),
  ];
  const libraries = new Set(
    [...command('ldd', linked).matchAll(/(\/\S+\.so\S*) \(0x/g)].map(([, path = '']) => path),
  );
  const list = [python, '/usr/bin/python3', library, ...added, ...libraries].map((path) =>
    path.slice(1),
  );
  command('tar', [
    '-C',
    '/',
    '-chf',
    join(folder, 'python.tar'),
    '--exclude=__pycache__',
    '--exclude=*/test',
    '--exclude=*/tests',
    '--exclude=*/idlelib',
    '--exclude=*/ensurepip',
    '--exclude=*/lib2to3',
    '--exclude=*/pydoc_data',
    '--exclude=*/config-*',
    '--exclude=*/tkinter',
    ...new Set(list),
  ]);
  const root = join(folder, 'rootfs');
  command('tar', ['-C', root, '-xf', join(folder, 'python.tar')]);
  command('tar', ['-C', root, '-cf', join(folder, 'python.tar'), '.']);
  const name = `${registry}/${PYTHON_IMAGE}`;
  command(
    'podman',
    ['import', '--change', 'ENV PATH=/usr/bin:/bin', join(folder, 'python.tar'), name],
    { env },
  );
  command('podman', ['push', name], { env });
  command('podman', ['rmi', name], { env });
}

/** An image of busybox alone, as an archive for `podman import`. */
function rootFileSystem(folder: string): string {
  const root = join(folder, 'rootfs');
  mkdirSync(join(root, 'bin'), { recursive: true });
  cpSync('/bin/busybox', join(root, 'bin', 'busybox'));
  for (const tool of TOOLS) symlinkSync('busybox', join(root, 'bin', tool));
  command('tar', ['-C', root, '-cf', join(folder, 'rootfs.tar'), '.']);
  return join(folder, 'rootfs.tar');
}
