import { cpSync, globSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ContainerEngine } from '../container/container.ts';
import { command } from '../daemon.ts';
import type { Ring } from './ring.ts';

/** An image of busybox with this machine's Open MPI and the ring. */
export const MPI_IMAGE = 'ci/mpi:1';

/** Pushes this image to the registry of an engine. @returns the program of the ring in it */
export function pushMpi(
  { folder, registry, podman }: ContainerEngine,
  { program, folder: compiled }: Ring,
): string {
  const plugins = globSync('/usr/lib/*/{openmpi,pmix2,libhwloc*}').filter(
    (path) => !path.endsWith('.a'),
  );
  const programs = ['/usr/bin/mpirun', '/usr/bin/orted'].map((path) => realpathSync(path));
  const linked = [...programs, program, ...globSync('/usr/lib/*/{openmpi,pmix2}/**/*.so')];
  const libraries = [...command('ldd', linked).matchAll(/(\/\S+\.so\S*) \(0x/g)].map(
    ([, path = '']) => path,
  );
  const list = ['/usr/bin/mpirun', '/usr/bin/orted', '/etc/openmpi'];
  const shared = globSync('/usr/share/{openmpi,pmix}');
  const files = new Set(
    [...list, ...plugins, ...shared, ...libraries].map((path) => path.slice(1)),
  );
  const root = join(folder, 'rootfs');
  const file = join(folder, 'mpi.tar');
  command('tar', ['-C', '/', '-chf', file, '--exclude=*.a', '--exclude=include', ...files]);
  command('tar', ['-C', root, '-xf', file]);
  // A job sees its own /var/tmp.
  const installed = join('/opt', basename(compiled), 'ring');
  mkdirSync(join(root, dirname(installed)), { recursive: true });
  cpSync(program, join(root, installed));
  command('tar', ['-C', root, '-cf', file, '.']);
  podman('import', '--change', 'ENV PATH=/usr/bin:/bin', file, `${registry}/${MPI_IMAGE}`);
  podman('push', `${registry}/${MPI_IMAGE}`);
  podman('rmi', `${registry}/${MPI_IMAGE}`);
  return installed;
}
