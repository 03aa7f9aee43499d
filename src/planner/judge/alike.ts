import type { Site } from '../../site/site.ts';
import type { Admission, Admissions, Sought, WeighedCandidate } from '../../vortex/index.ts';
import { destinationId, type NonEmpty } from '../../words/ids.ts';
import type { Alike, AlikeMember } from '../refusal.ts';
import { openValueNumbers } from './value-numbers.ts';

/** What the rules say against all members of a group. */
export type RefusedAlike = {
  /** of the first member */
  readonly candidate: Extract<WeighedCandidate, { kind: 'refused' }>;
  readonly alike: Alike;
};

/**
 * The destinations that do not match, in groups that rules and site treat alike, so that a NO of a
 * thousand destinations judges as many of them as are different.
 */
export function refusedAlike(
  admissions: Admissions,
  site: Site,
  sought: Sought,
): readonly RefusedAlike[] {
  const { first, groups } = groupsOf(admissions, site);
  return admissions.refused(sought, first).flatMap((candidate) => {
    const alike = groups.get(candidate.destination);
    return alike === undefined ? [] : [{ candidate, alike }];
  });
}

/** The first member of each group, and the groups by its id. */
type Groups = { readonly first: readonly Admission[]; readonly groups: ReadonlyMap<string, Alike> };

type Known = Groups & Pick<Site, 'destinations' | 'storage'>;

/** Only a reload of the rules or the site makes others. */
const known = new WeakMap<Admissions, Known>();

function groupsOf(admissions: Admissions, site: Site): Groups {
  const { destinations, storage } = site;
  const before = known.get(admissions);
  if (before?.destinations === destinations && before.storage === storage) return before;
  const made = { ...group(admissions, site), destinations, storage };
  known.set(admissions, made);
  return made;
}

/** Abstract destinations are templates of the rule files; they are in no group. */
function group(admissions: Admissions, { destinations, storage }: Site): Groups {
  const numberOf = openValueNumbers();
  const byKind = new Map<number, NonEmpty<AlikeMember> & AlikeMember[]>();
  const first: Admission[] = [];
  for (const [place, admission] of admissions.list.entries()) {
    const { id, abstract, ...accepted } = admission;
    if (abstract) continue;
    const { id: _id, description: _description, ...own } = destinations.get(id) ?? NOWHERE;
    const stores = storage.map((store) => store.destinations?.has(id) !== false);
    const kind = numberOf([accepted, admissions.offeredBy(id), own, stores]);
    const member: AlikeMember = { id: destinationId(id), place };
    const group = byKind.get(kind);
    if (group === undefined) {
      first.push(admission);
      byKind.set(kind, [member]);
    } else group.push(member);
  }
  return { first, groups: new Map([...byKind.values()].map((alike) => [alike[0].id, alike])) };
}

/** A destination of the rule files that the site file does not name. */
const NOWHERE = { id: undefined, description: undefined };
