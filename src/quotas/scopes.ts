import type { Principal } from '../identity/principal.ts';
import { ANONYMOUS_OWNER, ownerOf } from '../identity/principal.ts';
import { isOwner, type Quota } from '../site/quotas.ts';

/** A quota that applies to a principal. All principals of one scope share it. */
export type Applying = {
  readonly scope: string;
  readonly quota: Quota;
  /** whose it is alone; undefined: of several owners */
  readonly owner?: string;
};

/**
 * The quotas that apply to a principal, all at once. The scope of a user is the owner, which is
 * stable, the same for every credential, and different from users of the same name at another
 * issuer. A quota for a named user replaces the quota for each user, so it may also allow more.
 */
export function quotasOf(quotas: readonly Quota[], principal: Principal): readonly Applying[] {
  const isNamed = quotas.some((quota) => namesUser(quota, principal));
  const all = quotas.flatMap((quota): readonly Applying[] => {
    switch (quota.for) {
      case 'user':
        return principal.kind === 'user' &&
          (isNamed ? namesUser(quota, principal) : quota.name === undefined)
          ? [
              quota.identities === undefined
                ? { scope: principal.owner, quota, owner: principal.owner }
                : { scope: personScope(quota), quota },
            ]
          : [];
      case 'anonymous':
        return principal.kind === 'anonymous' ? shared(quota) : [];
      case 'role':
        return principal.kind === 'user' && principal.roles.includes(quota.name ?? '')
          ? shared(quota)
          : [];
      case 'site':
        return shared(quota);
      default:
        return quota.for satisfies never;
    }
  });
  // A user may be named twice, by name and as an owner: each counts for itself.
  return all.map((one, index) =>
    all.findIndex(({ scope }) => scope === one.scope) < index
      ? { ...one, scope: `${one.scope} ${one.quota.name}` }
      : one,
  );
}

/** Whose answers a scope counts. */
export type ScopeOwners = {
  /** null: that of each owner */
  readonly scope: string | null;
  /** null: everybody */
  readonly owners: readonly string[] | null;
  readonly others: readonly string[];
};

/** Whose answers quotas count, as far as that is seen by owners; roles belong to credentials. */
export function scopeOwners(quotas: readonly Quota[]): readonly ScopeOwners[] {
  const persons = quotas.flatMap(({ identities }) => identities ?? []);
  return quotas.flatMap((quota): readonly ScopeOwners[] => {
    if (quota.for === 'role') return [];
    if (quota.for === 'user')
      return [
        quota.identities === undefined
          ? { scope: null, owners: null, others: [ANONYMOUS_OWNER, ...persons] }
          : { scope: personScope(quota), owners: quota.identities, others: [] },
      ];
    return shared(quota).map(({ scope, owner }) => ({
      scope,
      owners: owner === undefined ? null : [owner],
      others: [],
    }));
  });
}

/** The quotas that many principals share, whoever asks. */
export function sharedQuotas(quotas: readonly Quota[]): readonly Applying[] {
  return quotas.flatMap(shared);
}

/**
 * The person behind a principal: the scope of their identities when the site file lists them, and
 * else the owner.
 */
export function personOf(quotas: readonly Quota[], principal: Principal): string {
  const owner = ownerOf(principal);
  const known = quotas.find(
    (quota) => quota.identities !== undefined && namesUser(quota, principal),
  );
  return known === undefined ? owner : personScope(known);
}

/** Names the holders of a quota, for a sentence. */
export function whoseQuota(scope: string): string {
  if (scope === 'site') return 'the whole site';
  if (scope === ANONYMOUS_OWNER) return 'all clients without a credential';
  return scope.startsWith('role:')
    ? `all users with the role ${scope.slice('role:'.length)}`
    : 'you';
}

/** The scope of all identities of the person whom a quota names. */
function personScope({ name }: Quota): string {
  return `person:${name}`;
}

/** @returns nothing for a quota of users, whose scope depends on who asks */
function shared(quota: Quota): readonly Applying[] {
  switch (quota.for) {
    case 'anonymous':
      return [{ scope: ANONYMOUS_OWNER, quota, owner: ANONYMOUS_OWNER }];
    case 'role':
      return [{ scope: `role:${quota.name}`, quota }];
    case 'site':
      return [{ scope: 'site', quota }];
    case 'user':
      return [];
    default:
      return quota.for satisfies never;
  }
}

/** An issuer names its own users, so a name in the form of an owner never matches a user's name. */
function namesUser({ for: whose, name, identities }: Quota, principal: Principal): boolean {
  if (whose !== 'user' || name === undefined || principal.kind !== 'user') return false;
  if (identities !== undefined) return identities.includes(principal.owner);
  return name === (isOwner(name) ? principal.owner : principal.user);
}
