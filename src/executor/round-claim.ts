import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import type { Engine } from '../runners/engine.ts';
import type { Runners } from '../runners/registry.ts';

/** What a round needs that one of all executors does for a destination. */
export type RoundParts = {
  readonly database: Database;
  readonly runners: Runners;
  readonly destinations: ReadonlyMap<string, { readonly engine: Engine }>;
  readonly log: Logger;
};

/**
 * Whether this executor does the round now. Of all executors that ask, one gets `true`, once in
 * `every` seconds.
 */
export async function claimRound(
  database: Database,
  duty: string,
  every: number,
): Promise<boolean> {
  const [claimed] = await database.$queryRaw<
    { ours: boolean }[]
  >`SELECT claim_duty(${duty}, make_interval(secs => ${every})) AS ours`;
  return claimed?.ours === true;
}
