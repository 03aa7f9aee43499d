import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Embedded, startEmbedded } from '../../../src/db/embedded.ts';
import type { emptyBook, makeOffers } from '../measures/book.ts';
import { PARTS, postmasterOf, timesOf, type Part } from '../measures/costs.ts';
import type { HttpLoad, LoadGenerator } from '../load.ts';
import type { BenchPlanner, startPlanner } from '../planners.ts';
import type { Sample } from '../sample.ts';
import { NO_ASK, YES_ASK } from '../site.ts';

/** What one round measured: rates, and the processor time of one request in ms. */
export type Outcome = Sample & { readonly times: Readonly<Record<Part, number>> };

/** A planner of one version, with a PostgreSQL of its own. */
export type Version = {
  readonly name: string;
  readonly measure: (load: Load, amount: number) => Promise<Outcome>;
  readonly stop: () => Promise<void>;
};

/** Asks with this body, or accepts of offers that were made before. */
export type Load = Pick<HttpLoad, 'body' | 'connections' | 'perSecond'> & {
  readonly accepts?: true;
};

export const LOADS: Readonly<Record<string, Load>> = {
  'YES, 32 connections': { body: YES_ASK, connections: 32 },
  'YES, 1 connection': { body: YES_ASK, connections: 1 },
  'YES, 100 a second': { body: YES_ASK, connections: 32, perSecond: 100 },
  'NO, 32 connections': { body: NO_ASK, connections: 32 },
  'ACCEPTED, 32 connections': {
    body: 'offer: { status: ACCEPTED }',
    connections: 32,
    accepts: true,
  },
};

type Modules = {
  readonly startEmbedded: typeof startEmbedded;
  readonly startPlanner: typeof startPlanner;
  readonly emptyBook: typeof emptyBook;
  readonly makeOffers: typeof makeOffers;
};

/** @param tree its work tree @param folder for its database and site */
export async function startVersion(
  name: string,
  tree: string,
  folder: string,
  destinations: number,
  generator: LoadGenerator,
): Promise<Version> {
  const load = (path: string): Promise<Modules> => import(pathToFileURL(join(tree, path)).href);
  const cluster: Embedded = await (
    await load('src/db/embedded.ts')
  ).startEmbedded({ directory: join(folder, name, 'pg'), disposable: true });
  const planner = await (
    await load('test/bench/planners.ts')
  ).startPlanner(cluster, join(folder, name), destinations, []);
  const book = await load('test/bench/measures/book.ts');
  const postmaster = await postmasterOf(planner);
  return {
    name,
    measure: async (wanted, amount) => {
      await book.emptyBook(planner.client);
      const request = await requestOf(wanted, amount, planner, book);
      const before = await timesOf(planner, postmaster);
      const sample = await generator.send({ method: 'POST', amount, ...request });
      const after = await timesOf(planner, postmaster);
      const of = (part: Part): number => (after[part] - before[part]) / amount;
      return {
        ...sample,
        times: {
          planner: of('planner'),
          'sandbox child': of('sandbox child'),
          PostgreSQL: of('PostgreSQL'),
        },
      };
    },
    stop: async () => {
      await planner.stop();
      await cluster.stop();
    },
  };
}

/** Milliseconds of processor time of one request, of all parts. */
export function allOf({ times }: Outcome): number {
  return PARTS.reduce((sum, part) => sum + times[part], 0);
}

async function requestOf(
  { accepts, ...load }: Load,
  amount: number,
  { server: { url }, client, destinations }: BenchPlanner,
  book: Pick<Modules, 'makeOffers'>,
): Promise<Pick<HttpLoad, 'url' | 'body' | 'connections' | 'perSecond' | 'paths'>> {
  if (accepts === undefined) return { url: `${url}/request`, ...load };
  const offers = await book.makeOffers(client, amount, destinations);
  return { url, ...load, paths: offers.map((id) => `/offers/${id}`) };
}
