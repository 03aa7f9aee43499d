import { largestOf } from '../largest.ts';
import type { LeastNeed } from '../language.ts';
import { argumentsIn } from './arguments.ts';
import type { SnakemakeRule } from './rules.ts';

/** What Snakemake takes beside its steps, MiB. */
export const SNAKEMAKE_MEMORY = 128;

const MB = 1_000_000;
const MIB = 2 ** 20;

/** Names of amounts in `resources:`, and their units in bytes. */
const RESOURCES: readonly (readonly [LeastNeed['resource'], string, number])[] = [
  ['memory', 'mem_mb', MB],
  ['memory', 'mem_mib', MIB],
  ['scratch', 'disk_mb', MB],
  ['scratch', 'disk_mib', MIB],
];

/**
 * The most that a rule needs of each resource. Only numbers and sizes count: what is computed is
 * known when the workflow runs.
 */
export function leastOf(rules: readonly SnakemakeRule[]): readonly LeastNeed[] {
  return largestOf(rules.flatMap(needsOf));
}

function needsOf({ name: step, said }: SnakemakeRule): readonly LeastNeed[] {
  const threads = /^(\d[\d_]{0,10}),?$/.exec(said.get('threads') ?? '')?.[1];
  const cores: readonly LeastNeed[] =
    threads === undefined ? [] : [{ resource: 'cores', amount: numberIn(threads) * 1000, step }];
  const { words } = argumentsIn(said.get('resources') ?? '');
  const others = words.flatMap((word): readonly LeastNeed[] => {
    const found = amountIn(word);
    return found === undefined
      ? []
      : [{ resource: found.resource, amount: Math.ceil(found.bytes / MIB), step }];
  });
  return [...cores, ...others];
}

type Amount = { readonly resource: LeastNeed['resource']; readonly bytes: number };

/** `mem_mb=2000`, or `mem="2 GB"`. */
function amountIn(word: string): Amount | undefined {
  const [, key, digits = ''] = /^\s*(\w+)\s*=\s*(\d[\d_]{0,20})\s*$/.exec(word) ?? [];
  const [resource, , unit = 0] = RESOURCES.find(([, known]) => known === key) ?? [];
  if (resource !== undefined) return { resource, bytes: numberIn(digits) * unit };
  const [, name, size = ''] = /^\s*(mem|disk)\s*=\s*'([^']*)'\s*$/.exec(word) ?? [];
  const bytes = bytesOf(size);
  return name === undefined || bytes === undefined
    ? undefined
    : { resource: name === 'mem' ? 'memory' : 'scratch', bytes };
}

const PREFIXES = ['', 'k', 'm', 'g', 't', 'p'];

/** A size as Snakemake reads it, in whole MB: `GB` and `g` are decimal, `GiB` is binary. */
function bytesOf(size: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(size) ?? [];
  const letter = unit.charAt(0).toLowerCase();
  const power = PREFIXES.indexOf(letter === 'b' ? '' : letter);
  const base = /^.(?:ib|[ie]bibytes?)$/i.test(unit) ? 1024 : 1000;
  return number === '' || power < 0
    ? undefined
    : Math.max(1, Math.round((Number(number) * base ** power) / MB)) * MB;
}

/** A number of Python. */
function numberIn(digits: string): number {
  return Number(digits.replaceAll('_', ''));
}
