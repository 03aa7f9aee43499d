import { networkOf } from '../../identity/network.ts';
import { ANONYMOUS_OWNER } from '../../identity/principal.ts';
import { openRoomByName } from '../../words/room-by-name.ts';
import type { UwsCall } from '../call.ts';

/**
 * How many requests may be held open at the same time, in this process: of one owner, and of
 * one address without a credential.
 */
export type Patience = { readonly perOwner: number; readonly perAddress: number };

/** Whoever waits. */
type Waiting = Pick<UwsCall, 'owner'> & { readonly req: { readonly ip?: string | undefined } };

/**
 * Counts requests that are held open. All who are anonymous are one owner, so there each address is
 * counted, too: one client must not wait in the place of all.
 */
export function openPatience({ perOwner, perAddress }: Patience) {
  const owners = openRoomByName(perOwner);
  const addresses = openRoomByName(perAddress);
  const addressOf = ({ owner, req }: Waiting): string | undefined =>
    owner === ANONYMOUS_OWNER ? networkOf(req.ip ?? '') : undefined;
  return {
    /** @returns whether there is room for one more, which is taken */
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
