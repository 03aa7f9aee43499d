import type { LeastNeed } from '../language.ts';
import type { CwlProcess } from './processes.ts';
import type { RequirementFinder, Said } from './requirements.ts';

/** The amounts of a ResourceRequirement; undefined: it does not say, or says it with an expression. */
export type Needed = {
  readonly cores: number | undefined;
  readonly memory: number | undefined;
  readonly scratch: number | undefined;
};

/** What decides about a process, the nearest first: its own lists, its step's, its workflow's. */
export type Levels = readonly {
  readonly lists: CwlProcess;
  /** of the document that they are in; undefined: the ask */
  readonly base: string | undefined;
}[];

/** What a tool needs: a requirement at any level goes before a hint. */
export function neededBy(levels: Levels, resourcesIn: RequirementFinder): Needed {
  const found =
    levels
      .map(({ lists, base }) => resourcesIn(lists, 'requirements', base))
      .find((one) => one !== undefined) ??
    levels
      .map(({ lists, base }) => resourcesIn(lists, 'hints', base))
      .find((one) => one !== undefined);
  if (found === undefined) return { cores: undefined, memory: undefined, scratch: undefined };
  const cores = leastOf(found, 'cores');
  const [memory, tmp, out] = ['ram', 'tmpdir', 'outdir'].map((name) => leastOf(found, name));
  return {
    cores: cores === undefined ? undefined : cores * 1000,
    memory,
    scratch: tmp === undefined && out === undefined ? undefined : (tmp ?? 0) + (out ?? 0),
  };
}

/** The larger need of each resource. */
export function largerOf(
  all: readonly LeastNeed[],
  { cores, memory, scratch }: Needed,
  step: string,
): readonly LeastNeed[] {
  const own = [
    { resource: 'cores', amount: cores },
    { resource: 'memory', amount: memory },
    { resource: 'scratch', amount: scratch },
  ] as const;
  return own.flatMap(({ resource, amount }): readonly LeastNeed[] => {
    const before = all.find((one) => one.resource === resource);
    const isLarger = amount !== undefined && amount > (before?.amount ?? 0);
    return isLarger ? [{ resource, amount: Math.ceil(amount), step }] : before ? [before] : [];
  });
}

/** A maximum alone is a minimum, too. */
function leastOf(resources: Said, name: string): number | undefined {
  const value = resources(`${name}Min`) ?? resources(`${name}Max`);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
