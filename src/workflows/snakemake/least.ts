import { largestOf } from '../largest.ts';
import type { LeastNeed } from '../language.ts';
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
 * The most that a rule needs of each resource. Only numbers count: what is computed is known when
 * the workflow runs.
 */
export function leastOf(rules: readonly SnakemakeRule[]): readonly LeastNeed[] {
  return largestOf(rules.flatMap(needsOf));
}

function needsOf({ name: step, said }: SnakemakeRule): readonly LeastNeed[] {
  const threads = /^(\d{1,6}),?$/.exec(said.get('threads') ?? '')?.[1];
  const cores: readonly LeastNeed[] =
    threads === undefined ? [] : [{ resource: 'cores', amount: Number(threads) * 1000, step }];
  const others = (said.get('resources') ?? '').split(',').flatMap((word): readonly LeastNeed[] => {
    const [, key, digits] = /^\s*(\w+)\s*=\s*(\d{1,12})\s*$/.exec(word) ?? [];
    const [resource, , unit = 0] = RESOURCES.find(([, known]) => known === key) ?? [];
    return resource === undefined
      ? []
      : [{ resource, amount: Math.ceil((Number(digits) * unit) / MIB), step }];
  });
  return [...cores, ...others];
}
