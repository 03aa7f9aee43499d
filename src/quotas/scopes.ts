import type { Principal } from '../identity/principal.ts';
import { ANONYMOUS_OWNER } from '../identity/principal.ts';
import type { Quota } from '../site/quotas.ts';

/** A quota that holds for somebody; whoever has the same scope shares it. */
export type Applying = { readonly scope: string; readonly quota: Quota };

const namesUser = ({ for: whose, name }: Quota, principal: Principal): boolean =>
  whose === 'user' && principal.kind === 'user' && (name === principal.user || name === principal.owner);

/**
 * The quotas that hold for a principal, all of them at once. A quota for one user by name takes the place of that for each
 * user, so it may also give more.
 */
export const quotasOf = (quotas: readonly Quota[], principal: Principal): readonly Applying[] => {
  const isNamed = quotas.some((quota) => namesUser(quota, principal));
  return quotas.flatMap((quota): readonly Applying[] => {
    switch (quota.for) {
      case 'user':
        return principal.kind === 'user' && (isNamed ? namesUser(quota, principal) : quota.name === undefined)
          ? [{ scope: principal.owner, quota }] : [];
      case 'anonymous':
        return principal.kind === 'anonymous' ? [{ scope: ANONYMOUS_OWNER, quota }] : [];
      case 'role':
        return principal.kind === 'user' && principal.roles.includes(quota.name ?? '') ? [{ scope: `role:${quota.name}`, quota }] : [];
      case 'site':
        return [{ scope: 'site', quota }];
      default:
        return quota.for satisfies never;
    }
  });
};

/** Whose quota it is, for a sentence. */
export const whoseQuota = (scope: string): string => {
  if (scope === 'site') return 'the whole site';
  if (scope === ANONYMOUS_OWNER) return 'everybody without a credential';
  return scope.startsWith('role:') ? `everybody with the role ${scope.slice('role:'.length)}` : 'you';
};
