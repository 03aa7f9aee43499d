import type { Database } from '../../db/client.ts';
import type { Peers } from '../../peers/channel.ts';
import { openStoredBytes, type StoredBytes } from '../../planner/record/stored-bytes.ts';
import { openRates, type Rates } from '../../quotas/rates.ts';
import type { Site } from '../../site/site.ts';
import { openRoomToKeep, type RoomToKeep } from './room-to-keep.ts';
import { openGiveBack, openSpendRate, type GiveBack, type SpendRate } from './too-many-asks.ts';

/** How much may clients ask, and keep, before a quota refuses? */
export type Allowances = {
  readonly rates: Rates;
  readonly spendRate: SpendRate;
  readonly giveBack: GiveBack;
  readonly stored: StoredBytes;
  readonly roomToKeep: RoomToKeep;
};

export function openAllowances(database: Database, site: () => Site, peers: Peers): Allowances {
  const clock = (): number => performance.now();
  const rates = openRates(clock, peers.channel('rate'));
  const stored = openStoredBytes(database, clock);
  return {
    rates,
    spendRate: openSpendRate(rates, site),
    giveBack: openGiveBack(rates, site),
    stored,
    roomToKeep: openRoomToKeep(site, stored),
  };
}
