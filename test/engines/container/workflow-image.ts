import { existsSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from '../daemon.ts';
import { NEXTFLOW } from '../workflows/nextflow.ts';

/** The tests' images with interpreters of workflows, in the registry. */
export const WORKFLOW_IMAGE = 'ci/workflows:3';
export const NEXTFLOW_IMAGE = 'ci/nextflow:24';

/** Nextflow's launcher in its image: containers have a /tmp of their own. */
export const NEXTFLOW_THERE = '/opt/nextflow/nextflow';

/**
 * Pushes an image with the machine's cwltool and Snakemake. The folder has the files of the image
 * with Python already.
 */
export function pushWorkflows(folder: string, registry: string, env: NodeJS.ProcessEnv): void {
  const packages = command('/usr/bin/python3', ['-c', LOADED]).trim().split('\n');
  const programs = ['/bin/bash', '/usr/bin/cwltool', '/usr/bin/snakemake'];
  addFiles(folder, [...programs, '/usr/share/zoneinfo', ...packages]);
  push(folder, `${registry}/${WORKFLOW_IMAGE}`, env);
}

/** Pushes an image with the Nextflow of the tests and the machine's Java. */
export function pushNextflow(folder: string, registry: string, env: NodeJS.ProcessEnv): void {
  const java = dirname(dirname(realpathSync('/usr/bin/java')));
  const [from, to] = [dirname(NEXTFLOW), dirname(NEXTFLOW_THERE)].map((path) => path.slice(1));
  addFiles(folder, ['/bin/bash', java, dirname(NEXTFLOW)], `--transform=s,^${from},${to},`);
  symlinkSync(join(java, 'bin/java'), join(folder, 'rootfs/bin/java'));
  push(folder, `${registry}/${NEXTFLOW_IMAGE}`, env);
}

/**
 * Prints the files and folders of Python that cwltool loads, and Snakemake for a small workflow,
 * which can load clients of every cloud.
 */
const LOADED = `
import glob, os, sys, tempfile
folders = [path for path in sys.path if path.endswith('/dist-packages')]
def loaded():
    files = {getattr(module, '__file__', None) or '' for module in list(sys.modules.values())}
    return {path for path in files if path.startswith(tuple(folders))}
def top(path):
    parts = path.split('/')
    return '/'.join(parts[:parts.index('dist-packages') + 2])
import cwltool.main, filelock
found = {top(path) for path in loaded()}
import snakemake
found.add(top(snakemake.__file__))
os.chdir(tempfile.mkdtemp())
open('c.json', 'w').write('{}')
open('Snakefile', 'w').write('rule a:\\n    output: "a"\\n    shell: "echo > {output}"\\n')
try:
    snakemake.main(['--cores', '1', '--quiet', 'all', '--configfile', 'c.json'])
except SystemExit:
    pass
# This needs more than files of Python, and is used if it is there.
unused = tuple(folder + '/' + name for folder in folders for name in ('OpenSSL', 'cryptography'))
found |= {path for path in loaded() if top(path) not in found and not path.startswith(unused)}
for folder in folders:
    found |= {*glob.glob(folder + '/*.egg-info'), *glob.glob(folder + '/*.dist-info')}
print('\\n'.join(sorted(found)))
`;

/** Adds files of this machine to those of an image, with the libraries that they are linked to. */
function addFiles(folder: string, files: readonly string[], ...more: readonly string[]): void {
  const found = ['-type', 'f', '-regex', '.*\\.so\\|.*/java\\|.*/bash'];
  const linked = command('find', [...files, ...found])
    .trim()
    .split('\n');
  const libraries = [...command('ldd', linked).matchAll(/(\/\S+\.so\S*) \(0x/g)];
  const all = new Set([...files, ...libraries.map(([, path = '']) => path)]);
  const archive = join(folder, 'files.tar');
  const without = ['__pycache__', '*/jmods', '*/docs', '*/src.zip'].map(
    (name) => `--exclude=${name}`,
  );
  const paths = [...all].map((path) => path.slice(1));
  command('tar', ['-C', '/', '-chf', archive, ...without, ...more, ...paths]);
  command('tar', ['-C', join(folder, 'rootfs'), '-xf', archive]);
}

function push(folder: string, name: string, env: NodeJS.ProcessEnv): void {
  const [root, archive] = [join(folder, 'rootfs'), join(folder, 'image-of-workflows.tar')];
  // Scripts of Nextflow and of the service call many.
  const tools = command('/bin/busybox', ['--list']).trim().split('\n');
  for (const tool of tools)
    if (!existsSync(join(root, 'bin', tool))) symlinkSync('busybox', join(root, 'bin', tool));
  command('tar', ['-C', root, '-cf', archive, '.']);
  command('podman', ['import', '--change', 'ENV PATH=/usr/bin:/bin', archive, name], { env });
  command('podman', ['push', name], { env });
  command('podman', ['rmi', name], { env });
}
