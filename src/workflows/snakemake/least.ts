import { largestOf } from '../largest.ts';
import type { LeastNeed } from '../language.ts';
import type { Directive } from './directives.ts';

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
export function leastOf(said: readonly Directive[]): readonly LeastNeed[] {
  return largestOf(said.flatMap(needsOf));
}

function needsOf({ name, rule, code }: Directive): readonly LeastNeed[] {
  if (rule === undefined) return [];
  if (name === 'threads') {
    const threads = /^(\d{1,6}),?$/.exec(code)?.[1];
    return threads === undefined
      ? []
      : [{ resource: 'cores', amount: Number(threads) * 1000, step: rule }];
  }
  if (name !== 'resources') return [];
  return code.split(',').flatMap((word) => {
    const [, key, digits] = /^\s*(\w+)\s*=\s*(\d{1,12})\s*$/.exec(word) ?? [];
    const [resource, , unit = 0] = RESOURCES.find(([, known]) => known === key) ?? [];
    return resource === undefined
      ? []
      : [{ resource, amount: Math.ceil((Number(digits) * unit) / MIB), step: rule }];
  });
}
