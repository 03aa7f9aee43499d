import type { components } from '../../generated/api.d.ts';
import { ANONYMOUS_OWNER, visibleOwner, type Principal } from '../../identity/principal.ts';
import { quotasOf, type Applying } from '../../quotas/scopes.ts';
import type { Site } from '../../site/site.ts';
import { linesOf, type QuotaSources } from '../about/quota-lines.ts';

type Line = components['schemas']['QuotaLine'];
type Owner = { readonly owner: string; readonly name: string | null };

/** Each line takes a query. */
const MOST_OWNERS = 20;

/**
 * The use of the quotas that many share, and of those of the first owners of a list.
 *
 * @param owners those who hold most first, perhaps several times
 */
export async function quotasInUse(
  sources: QuotaSources,
  owners: readonly Owner[],
): Promise<readonly Line[]> {
  const site = sources.site();
  const shared = await Promise.all(sharedQuotas(site).map((one) => linesOf(sources, site, one)));
  const named = new Map(
    owners.filter(({ owner }) => owner !== ANONYMOUS_OWNER).map((one) => [one.owner, one]),
  );
  const own = await Promise.all(
    [...named.values()].slice(0, MOST_OWNERS).map(async (one) => {
      const applying = quotasOf(site.quotas, principalOf(one)).filter(
        ({ quota }) => quota.for === 'user',
      );
      const lines = await Promise.all(
        applying.map((quota) => linesOf(sources, site, quota, one.owner)),
      );
      return lines.flat().map((line) => ({ ...line, owner: one.owner }));
    }),
  );
  return [...shared, ...own].flat();
}

function sharedQuotas({ quotas }: Site): readonly Applying[] {
  return quotas.flatMap((quota): readonly Applying[] => {
    switch (quota.for) {
      case 'site':
        return [{ scope: 'site', quota }];
      case 'anonymous':
        return [{ scope: ANONYMOUS_OWNER, quota }];
      case 'role':
        return [{ scope: `role:${quota.name}`, quota }];
      case 'user':
        return [];
      default:
        return quota.for satisfies never;
    }
  });
}

/** A user as far as the database knows it. */
function principalOf({ owner, name }: Owner): Principal {
  return {
    kind: 'user',
    owner,
    user: visibleOwner(owner, name) ?? owner,
    roles: [],
    administrator: false,
  };
}
