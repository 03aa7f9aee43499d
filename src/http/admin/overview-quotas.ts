import type { components } from '../../generated/api.d.ts';
import { ANONYMOUS_OWNER, visibleOwner, type Principal } from '../../identity/principal.ts';
import { quotasOf, sharedQuotas } from '../../quotas/scopes.ts';
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
  const shared = await Promise.all(
    sharedQuotas(site.quotas).map((one) => linesOf(sources, site, one)),
  );
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
