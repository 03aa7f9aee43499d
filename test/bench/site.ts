import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dump } from 'js-yaml';
import { writePython } from './python.ts';

/** The name of a destination by number. */
export function destinationName(index: number): string {
  return `d${index}`;
}

/** More of everything than a bench can fill. */
const AMPLE = { cores: 1_000_000, memory: 1_000_000_000, scratch: 1_000_000_000 };

/** Users of the bench. At most 1,000 clients may wait for one owner. */
export const benchUsers: readonly string[] = Array.from(
  { length: 10 },
  (_, index) => `user${index}`,
);

export function credentialOf(user: string): string {
  return `Bearer ${tokenOf(user)}`;
}

/** A site of the bench. */
export type BenchSite = { readonly siteFile: string; readonly rules: string };

/** Writes a site with destinations d0, d1, … */
export async function writeBenchSite(folder: string, destinations: number): Promise<BenchSite> {
  const rules = dump(rulesFor(destinations));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'rules.yml'), rules);
  const python = await writePython(folder);
  await writeFile(join(folder, 'site.yml'), dump(siteFor(destinations, python)));
  return { siteFile: join(folder, 'site.yml'), rules };
}

/** An ask for an executable with at least this many cores; the destinations have 64 for one job. */
export function askFor(cores: number): string {
  return dump({
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: {
        command: ['/usr/bin/source-extractor', 'field-0042.fits'],
        environment: { OMP_NUM_THREADS: '2' },
      },
    },
    resources: {
      compute: [
        {
          name: 'extract',
          'min-cores': cores,
          'max-cores': cores * 2,
          'min-memory': '4Gb',
          'max-memory': '16Gb',
        },
      ],
    },
  });
}

export const YES_ASK = askFor(2);
/** Every destination refuses it, for cores. */
export const NO_ASK = askFor(10_000);

/** The asks of one measurement. */
export type Question = {
  readonly result: 'YES' | 'NO';
  readonly connections: number;
  readonly amount: number;
  /** answers in the book before the first ask, at all destinations together */
  readonly held?: number;
};

function tokenOf(user: string): string {
  return `token of ${user}`.replaceAll(' ', '-');
}

/**
 * Rules as sites write them: a default tool with an expression, a tool with a conditional rule, a
 * role, and scheduling tags that the bench requires and every destination accepts.
 */
function rulesFor(destinations: number): object {
  return {
    global: { default_inherits: 'default' },
    tools: {
      default: {
        abstract: true,
        cores: 2,
        mem: 'cores * 3.8',
        scheduling: { reject: ['offline'] },
      },
      'executable/.*': {
        scheduling: { require: ['shell'], prefer: ['large'] },
        rules: [
          {
            id: 'big',
            if: 'input_size >= 10',
            mem: 'cores * 8',
            scheduling: { require: ['large'] },
          },
        ],
      },
    },
    roles: { 'training.*': { max_cores: 4, scheduling: { prefer: ['training'] } } },
    destinations: Object.fromEntries(
      Array.from({ length: destinations }, (_, index) => [
        destinationName(index),
        {
          runner: 'process',
          max_accepted_cores: 64,
          max_accepted_mem: 256,
          scheduling: { accept: ['shell'], prefer: index % 3 === 0 ? ['large'] : [] },
        },
      ]),
    ),
  };
}

function siteFor(destinations: number, python: string): object {
  return {
    rules: ['rules.yml'],
    // The bench holds more than any quota.
    quotas: [],
    results: { size: '1000000GiB' },
    environments: { astro: { python, paths: [dirname(python)] } },
    identity: {
      administrators: ['operators'],
      tokens: benchUsers.map((user, index) => ({
        user,
        ...(index === benchUsers.length - 1 && { roles: ['operators'] }),
        sha256: createHash('sha256').update(tokenOf(user)).digest('hex'),
      })),
    },
    destinations: Object.fromEntries(
      Array.from({ length: destinations }, (_, index) => [
        destinationName(index),
        {
          runner: 'process',
          'task-types': ['executable', 'python-program'],
          environments: ['astro'],
          cores: AMPLE.cores,
          memory: `${AMPLE.memory}GiB`,
          scratch: `${AMPLE.scratch}GiB`,
        },
      ]),
    ),
  };
}
