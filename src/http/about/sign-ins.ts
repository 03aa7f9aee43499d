import type { components } from '../../generated/api.d.ts';
import type { IdentityTerms } from '../../site/identity.ts';
import type { DeviceClient } from '../../site/read/device-client.ts';

type SignIn = components['schemas']['SignIn'];

/** The ways to prove who one is at this site; none where the site file names none. */
export function signInsOf({ oidc, passwords, tokens }: IdentityTerms): readonly SignIn[] {
  return [
    ...oidc.map(({ name, issuer, client, device }): SignIn => ({
      kind: 'oidc',
      name,
      issuer,
      // Relative, because a proxy may serve the service below a path.
      ...(client !== undefined && { start: `login?at=${encodeURIComponent(name)}` }),
      ...(device !== undefined && { device: deviceOf(device) }),
    })),
    ...(passwords === undefined ? [] : [{ kind: 'password' } as const]),
    ...(tokens.length === 0 ? [] : [{ kind: 'token' } as const]),
  ];
}

function deviceOf({ id, scopes, resource }: DeviceClient): NonNullable<SignIn['device']> {
  return { 'client-id': id, scopes: [...scopes], ...(resource !== undefined && { resource }) };
}
