import { countAsks, emptyBook, makeOffers } from './book.ts';
import { floorName } from './floors.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import type { Series } from '../sample.ts';
import { NO_ASK, YES_ASK, type Question } from '../site.ts';
import { statementsName } from './statements.ts';

/**
 * Asks over HTTP; each answer is written to the book, which is empty at first unless the name says
 * otherwise.
 */
export function asks(
  planner: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): readonly Series[] {
  return [
    ask(planner, load, { result: 'YES', connections: 1, amount: Math.ceil(amount / 4) }),
    ask(planner, load, { result: 'YES', connections: 32, amount }),
    ask(planner, load, {
      result: 'YES',
      connections: 32,
      amount: Math.max(32, Math.ceil(amount / 4)),
      held: 1000,
    }),
    ask(planner, load, { result: 'NO', connections: 32, amount }),
  ];
}

function ask(planner: BenchPlanner, load: LoadGenerator, question: Question): Series {
  const { server, client, destinations } = planner;
  const { result, connections, amount, held = 0 } = question;
  const situation = held === 0 ? '' : `, ${held} held before`;
  return {
    name: `POST /request: ${destinations} destinations, ${result}, ${connections} connections${situation}`,
    express: floorName('POST', connections),
    bare: statementsName(destinations, result, connections, held),
    measure: async () => {
      await emptyBook(client);
      await makeOffers(client, held, destinations);
      const before = await countAsks(client, result);
      const body = result === 'YES' ? YES_ASK : NO_ASK;
      const sample = await load.send({
        url: `${server.url}/request`,
        method: 'POST',
        body,
        amount,
        connections,
      });
      const answered = (await countAsks(client, result)) - before;
      if (answered < amount)
        throw new Error(`of ${amount} asks only ${answered} were answered ${result}`);
      return sample;
    },
  };
}
