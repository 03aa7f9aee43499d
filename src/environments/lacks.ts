import type { EnvironmentFacts, InstalledPackage } from './facts.ts';
import { extrasIn, holds } from './marker.ts';
import { normalisedName } from './normalised-name.ts';
import { parseRequirement, type Requirement } from './requirement.ts';
import { isAmong } from './versions.ts';

/** Why an environment does not meet a requirement. */
export type RequirementLack = {
  readonly package: string;
  /** those that will do; '' for any */
  readonly versions: string;
  /** the requirement whose extra needs it; undefined: the client's own */
  readonly for: string | undefined;
} & (
  | { readonly kind: 'missing' }
  /** with the version that is there */
  | { readonly kind: 'version'; readonly has: string }
);

/**
 * Why an environment does not meet a requirement, with what its extras need; undefined: it does.
 */
export function requirementLack(
  requirement: Requirement,
  facts: EnvironmentFacts,
): RequirementLack | undefined {
  return isNeeded(requirement, facts) ? lackOf(requirement, facts, undefined) : undefined;
}

/** Is a requirement one in this environment? Its marker may say that it is for others. */
export function isNeeded({ marker }: Requirement, { markers }: EnvironmentFacts): boolean {
  return marker === undefined || holds(marker, markers);
}

/** @param seen extras that are judged already, since they may name each other in a circle */
function lackOf(
  { name, versions, extras }: Requirement,
  facts: EnvironmentFacts,
  whose: string | undefined,
  seen?: Set<Extra>,
): RequirementLack | undefined {
  const installed = facts.packages.get(normalisedName(name));
  const lack = { package: name, versions, for: whose };
  if (installed === undefined) return { kind: 'missing', ...lack };
  if (versions !== '' && !isAmong(installed.version, versions))
    return { kind: 'version', ...lack, has: installed.version };
  for (const extra of extras) {
    const inner = lackOfExtra(installed, normalisedName(extra), facts, seen);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** What an extra needs, and what it lacks once that is known. */
type Extra = { readonly needs: Requirement[]; lack?: RequirementLack | undefined };

/**
 * The extras of a package that is installed, by normalised name. They are judged once: an ask may
 * name a hundred extras a thousand times.
 */
const known = new WeakMap<InstalledPackage, ReadonlyMap<string, Extra>>();

function lackOfExtra(
  installed: InstalledPackage,
  name: string,
  facts: EnvironmentFacts,
  seen: Set<Extra> | undefined,
): RequirementLack | undefined {
  const all = known.get(installed) ?? extrasOf(installed, facts);
  known.set(installed, all);
  const extra = all.get(name);
  if (extra === undefined || 'lack' in extra || seen?.has(extra) === true) return extra?.lack;
  const now = seen ?? new Set();
  now.add(extra);
  const whose = `${installed.name}[${name}]`;
  let lack: RequirementLack | undefined;
  for (const need of extra.needs) lack ??= lackOf(need, facts, whose, now);
  // What was judged within a circle leaves out what is judged around it.
  if (seen === undefined) extra.lack = lack;
  return lack;
}

function extrasOf(
  { extras }: InstalledPackage,
  { markers }: EnvironmentFacts,
): ReadonlyMap<string, Extra> {
  const all = new Map<string, Extra>();
  for (const text of extras) {
    const parsed = parseRequirement(text);
    if (!parsed.ok || parsed.requirement.marker === undefined) continue;
    const { marker } = parsed.requirement;
    // An extra's requirement holds for no task that leaves the extra out.
    if (holds(marker, markers)) continue;
    for (const name of extrasIn(marker)) {
      const extra = all.get(name) ?? { needs: [] };
      if (holds(marker, markers, name)) extra.needs.push(parsed.requirement);
      all.set(name, extra);
    }
  }
  return all;
}
