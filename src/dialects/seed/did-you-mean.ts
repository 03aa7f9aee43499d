import { guessKey } from '../reading/notes.ts';

const COMPUTE = ' in an item of resources.compute';
const STORAGE = ' in an item of resources.storage';
/** A word that means something else elsewhere is guessed only where the key is known. */
const HERE = '';

/** A key, where it stands, and the words of people and other systems, in letters and digits only. */
const WORDS: readonly (readonly [key: string, place: string, words: string])[] = [
  [
    'min-cores',
    COMPUTE,
    'cores core mincores cpu cpus ncpu ncpus vcpu vcpus ncores corecount cpucount numcpus ' +
      'numcores processors mincpu mincpus cpuspertask',
  ],
  ['max-cores', COMPUTE, 'maxcores maxcpu maxcpus maxvcpus corelimit cpulimit'],
  [
    'min-memory',
    COMPUTE,
    'memory minmemory mem ram minmem minram memorymb memorygb memmb memgb rammb ramgb rammin',
  ],
  ['max-memory', COMPUTE, 'maxmemory maxmem maxram memorylimit memlimit rammax'],
  [
    'gpu',
    COMPUTE,
    'gpu gpus ngpu ngpus gpucount numgpus gputype accelerator accelerators cuda gres nvidiacomgpu',
  ],
  ['replicas', COMPUTE, 'replicas replica nodes machines instances ntasks numnodes'],
  ['arch', COMPUTE, 'arch architecture architectures'],
  ['volumes', COMPUTE, 'volumes mounts volumemounts'],
  ['size', STORAGE, 'size disk disksize diskspace scratch scratchsize capacity'],
  ['duration', ' in time', 'duration walltime timeout runtime timelimit executionduration'],
  ['start', ' in time', 'start starttime startat notbefore'],
  ['compute', ' in resources', 'compute computes'],
  ['storage', ' in resources', 'storage storages disks'],
  ['resources', ' beside task', 'resources resource requirements'],
  ['lifetime', HERE, 'keep retention ttl expires'],
  ['location', HERE, 'url uri href'],
  ['object', HERE, 'key file'],
  ['start', HERE, 'begin'],
  ['count', HERE, 'number amount quantity'],
  ['spec', HERE, 'specification details'],
];

const COMMON = new Map(
  WORDS.flatMap(([key, place, words]) =>
    words.split(' ').map((word) => [word, { key, place }] as const),
  ),
);

/**
 * A guess at what an unknown key means: a typing error, or another word for a key, here or
 * elsewhere in the ask. A sentence with a space after it, or nothing.
 */
export function didYouMean(written: string, known: readonly string[]): string {
  const common = COMMON.get(written.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
  if (common !== undefined && known.includes(common.key)) return `Did you mean ${common.key}? `;
  if (common !== undefined && common.place !== HERE)
    return `Did you mean ${common.key}${common.place}? `;
  return guessKey(written, known);
}
