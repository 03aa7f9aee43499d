import type { Principal } from '../identity/principal.ts';
import { ANONYMOUS_OWNER, ownerOf } from '../identity/principal.ts';
import { isOwner, type Quota } from '../site/quotas.ts';

/** A quota that holds for somebody; whoever has the same scope shares it. */
export type Applying = { readonly scope: string; readonly quota: Quota };

/**
 * The quotas that hold for a principal, all of them at once. A user's scope is the owner: stable,
 * the same by whatever credential, and never that of somebody whom another issuer calls the same. A
 * quota for one user by name takes the place of that for each user, so it may also give more.
 */
export function quotasOf(quotas: readonly Quota[], principal: Principal): readonly Applying[] {
  const isNamed = quotas.some((quota) => namesUser(quota, principal));
  return quotas.flatMap((quota): readonly Applying[] => {
    switch (quota.for) {
      case 'user':
        return principal.kind === 'user' &&
          (isNamed ? namesUser(quota, principal) : quota.name === undefined)
          ? [
              {
                scope: quota.identities === undefined ? principal.owner : `person:${quota.name}`,
                quota,
              },
            ]
          : [];
      case 'anonymous':
        return principal.kind === 'anonymous' ? [{ scope: ANONYMOUS_OWNER, quota }] : [];
      case 'role':
        return principal.kind === 'user' && principal.roles.includes(quota.name ?? '')
          ? [{ scope: `role:${quota.name}`, quota }]
          : [];
      case 'site':
        return [{ scope: 'site', quota }];
      default:
        return quota.for satisfies never;
    }
  });
}

/**
 * The one person that a principal is: the scope of their identities where the site file says
 * which they have, else the owner.
 */
export function personOf(quotas: readonly Quota[], principal: Principal): string {
  const owner = ownerOf(principal);
  const known = quotas.find(
    (quota) => quota.identities !== undefined && namesUser(quota, principal),
  );
  return known === undefined ? owner : `person:${known.name}`;
}

/** Whose quota it is, for a sentence. */
export function whoseQuota(scope: string): string {
  if (scope === 'site') return 'the whole site';
  if (scope === ANONYMOUS_OWNER) return 'everybody without a credential';
  return scope.startsWith('role:')
    ? `everybody with the role ${scope.slice('role:'.length)}`
    : 'you';
}

/**
 * An issuer says what its users are called, so a name that has the form of an
 * owner is never that of a user.
 */
function namesUser({ for: whose, name, identities }: Quota, principal: Principal): boolean {
  if (whose !== 'user' || name === undefined || principal.kind !== 'user') return false;
  if (identities !== undefined) return identities.includes(principal.owner);
  return name === (isOwner(name) ? principal.owner : principal.user);
}
