import type { Client } from 'pg';
import { countAsks, emptyBook, makeOffers } from './book.ts';
import { floorName } from './floors.ts';
import type { LoadGenerator } from './load.ts';
import type { BenchPlanner } from './planners.ts';
import type { Series } from './sample.ts';
import { NO_ASK, YES_ASK } from './site.ts';
import { statementsName } from './statements.ts';

type Question = {
  readonly result: 'YES' | 'NO';
  readonly connections: number;
  readonly amount: number;
  /** answers that the book holds before the first ask, at all destinations together */
  readonly held?: number;
};

const prepare = async (client: Client, destinations: number, held: number): Promise<number> => {
  await emptyBook(client);
  return (await makeOffers(client, held, destinations)).length;
};

const ask = ({ server, client, destinations }: BenchPlanner, load: LoadGenerator, { result, connections, amount, held = 0 }: Question): Series => {
  const situation = held === 0 ? '' : `, ${held} held before`;
  return {
    name: `POST /request: ${destinations} destinations, ${result}, ${connections} connections${situation}`,
    express: floorName('POST', connections),
    bare: statementsName(destinations, result, connections, held),
    measure: async () => {
      const before = await prepare(client, destinations, held);
      const body = result === 'YES' ? YES_ASK : NO_ASK;
      const sample = await load.send({ url: `${server.url}/request`, method: 'POST', headers: { 'Content-Type': 'application/yaml' }, body, amount, connections });
      const answered = (await countAsks(client, result)) - (result === 'YES' ? before : 0);
      if (answered < amount) throw new Error(`of ${amount} asks ${answered} were answered ${result}: the bench did not measure what it names`);
      return sample;
    },
  };
};

/** Asks over HTTP, each answer written in the book. The book is empty before each measurement, unless the name says other. */
export const asks = (planner: BenchPlanner, load: LoadGenerator, amount: number): readonly Series[] => [
  ask(planner, load, { result: 'YES', connections: 1, amount: Math.ceil(amount / 4) }),
  ask(planner, load, { result: 'YES', connections: 32, amount }),
  ask(planner, load, { result: 'YES', connections: 32, amount: Math.max(32, Math.ceil(amount / 4)), held: 1000 }),
  ask(planner, load, { result: 'NO', connections: 32, amount }),
];
