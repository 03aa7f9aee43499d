import { networkOf } from '../../identity/network.ts';
import { ANONYMOUS_OWNER } from '../../identity/principal.ts';
import { openRoomByName } from '../../words/room-by-name.ts';
import type { UwsCall } from '../call.ts';

/**
 * How many requests this process may hold open at the same time: for one owner, and for one address
 * without a credential.
 */
export type Patience = { readonly perOwner: number; readonly perAddress: number };

/** Who waits. */
type Waiting = Pick<UwsCall, 'owner'> & { readonly req: { readonly ip?: string | undefined } };

/**
 * Counts open requests. All anonymous clients are one owner, so this counts each of their addresses
 * too: one client must not take the places of all others.
 */
export function openPatience({ perOwner, perAddress }: Patience) {
  const owners = openRoomByName(perOwner);
  const addresses = openRoomByName(perAddress);
  const addressOf = ({ owner, req }: Waiting): string | undefined =>
    owner === ANONYMOUS_OWNER ? networkOf(req.ip ?? '') : undefined;
  return {
    /** Takes a place. @returns false when none is free */
    enter: (waiting: Waiting): boolean => {
      const address = addressOf(waiting);
      if (address !== undefined && !addresses.enter(address)) return false;
      if (owners.enter(waiting.owner)) return true;
      if (address !== undefined) addresses.leave(address);
      return false;
    },
    leave: (waiting: Waiting): void => {
      const address = addressOf(waiting);
      if (address !== undefined) addresses.leave(address);
      owners.leave(waiting.owner);
    },
  };
}
