import { networkOf } from './network.ts';
import { ANONYMOUS_OWNER, type Principal } from './principal.ts';

/**
 * Who has turns of its own: an owner; and where that is everybody without a credential, those of one
 * network.
 */
export function clientOf(principal: Principal, address: string): string {
  return principal.kind === 'anonymous' ? `${NOBODY}${networkOf(address)}` : principal.owner;
}

/** Is it one of all those without a credential? */
export function isWithoutCredential(client: string): boolean {
  return client.startsWith(NOBODY);
}

/** Begins no owner. */
const NOBODY = `${ANONYMOUS_OWNER} `;
