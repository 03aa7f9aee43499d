import { expect } from '@jest/globals';
import { dump } from 'js-yaml';
import { offersOf, reasonsOf, type Reply } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';

/** The smallest change that turns a NO into YES, as a NO gives it. */
export type Nearest = {
  readonly destination: string;
  readonly changes: readonly {
    readonly path: string;
    readonly from?: unknown;
    readonly to?: unknown;
    readonly text: string;
  }[];
  readonly ask: object;
};

/** The nearest of an answer, where it has one. */
export function nearestTo(reply: Reply): Nearest | undefined {
  return Object(reply.document['response']).nearest;
}

/**
 * Asks for what is a NO, and then for its nearest, which must be a YES.
 *
 * @param ask sends the YAML of an ask
 * @returns the nearest of the NO
 */
export async function takenNearest(
  ask: (body: string) => Promise<Reply>,
  body: string,
): Promise<Nearest> {
  const reply = await ask(body);
  expect(contractFaults('AnswerBody', reply.document)).toEqual([]);
  expect(reasonsOf(reply)).not.toEqual([]);
  const nearest = nearestTo(reply);
  if (nearest === undefined) throw new Error(`a NO without nearest: ${reply.text}`);
  const posted = await ask(dump(nearest.ask));
  expect({ posted: posted.text, offers: offersOf(posted).length > 0 }).toEqual({
    posted: expect.any(String),
    offers: true,
  });
  return nearest;
}
