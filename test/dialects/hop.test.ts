import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { followPhases, fetchResult } from '../../src/cli/conversation.ts';
import { GENERATIONS, ownExecutable } from '../harness/broker/generations.ts';
import { openClient } from '../harness/client.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

/** How clients of a vocabulary ask for an offer and accept it. */
type Vocabulary = {
  readonly asks: string;
  readonly offers: string;
  readonly ask: object;
  readonly accept: object;
  /** ids of the offers of an answer */
  readonly idsIn: (answer: object) => readonly string[];
  /** id and state in a document of an offer */
  readonly read: (offer: object) => readonly [id: string, state: string];
};

type Session = {
  readonly uuid?: string;
  readonly meta?: { readonly uuid?: string };
  readonly phase?: string;
};

const COMMAND = ['echo', 'hello'];

const FIRST: Vocabulary = {
  asks: '/request',
  offers: '/offers',
  ask: {
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: COMMAND },
    },
  },
  accept: { offer: { status: 'ACCEPTED' } },
  idsIn: (answer) => idents(Object(answer).response.offers),
  read: (offer) => [Object(offer).offer.ident, Object(offer).offer.status],
};

function broker(generation: keyof typeof GENERATIONS): Vocabulary {
  const { ask, update, idOf } = GENERATIONS[generation];
  return {
    asks: '/offersets',
    offers: '/sessions',
    ask: ask({ executable: ownExecutable('executable'), spec: { command: COMMAND } }),
    accept: update('ACCEPTED'),
    idsIn: (answer) => Object(answer).offers.map(idOf),
    // A session is in the words of its ask, whoever reads it.
    read: ({ meta, uuid, phase }: Session) => [meta?.uuid ?? uuid ?? '', phase ?? ''],
  };
}

const VOCABULARIES = {
  first: FIRST,
  kinds: broker('kinds'),
  'types-v1': broker('types-v1'),
  types: broker('types'),
} as const;
const NAMES = ['first', 'kinds', 'types-v1', 'types'] as const;

describe('an offer has one id in all vocabularies', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        destinations: {
          a: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 64,
            memory: '256GiB',
            scratch: '800GiB',
          },
        },
      },
      rules: { destinations: { a: { runner: 'process' } } },
    });
  });
  afterAll(() => service?.close());

  test.each(NAMES.flatMap((one) => NAMES.map((other) => [one, other] as const)))(
    'asked in the words of %s, accepted in those of %s, followed at the job list',
    async (one, other) => {
      const send = sendingTo(service);
      const asker = VOCABULARIES[one];
      const { offers, accept, read } = VOCABULARIES[other];
      const [id = '', ...siblings] = asker.idsIn((await send(asker.asks, asker.ask)).document);
      expect(read((await send(`${offers}/${id}`)).document)).toEqual([id, 'OFFERED']);
      const accepted = await send(`${offers}/${id}`, accept);
      expect([accepted.status, read(accepted.document)[0]]).toEqual([200, id]);
      const job = `${service.url}/jobs/${id}`;
      const phases: string[] = [];
      for await (const phase of followPhases(job)) phases.push(phase);
      expect([phases.at(-1), await fetchResult(job, 'stdout')]).toEqual(['COMPLETED', 'hello\n']);
      expect(asker.read((await send(`${asker.offers}/${id}`)).document)[0]).toBe(id);
      const told = (await send(`/sessions/${id}`)).document;
      expect(Object(told).phase).toBe('COMPLETED');
      for (const sibling of siblings)
        expect(read((await send(`${offers}/${sibling}`)).document)).toEqual([sibling, 'REJECTED']);
    },
  );

  test.each(['kinds', 'types-v1', 'types'] as const)(
    'in the words of %s, the answer to a cancel of a running one says CANCELLED',
    async (generation) => {
      const send = sendingTo(service);
      const { ask, idOf, update } = GENERATIONS[generation];
      const sleep = { executable: ownExecutable('executable'), spec: { command: ['sleep', '60'] } };
      const id = idOf((await send('/direct', ask(sleep))).document);
      for await (const phase of followPhases(`${service.url}/jobs/${id}`))
        if (phase === 'EXECUTING') break;
      const { status, document } = await send(`/sessions/${id}`, update('CANCELLED'));
      expect([status, Object(document).phase]).toEqual([200, 'CANCELLED']);
    },
  );
});

function sendingTo({ url }: WholeService) {
  const client = openClient(url);
  // JSON is YAML, too.
  return (path: string, document?: object) =>
    client(path, {
      headers: { Accept: 'application/yaml' },
      ...(document && { body: JSON.stringify(document) }),
    });
}

function idents(offers: readonly { readonly ident: string }[]): readonly string[] {
  return offers.map(({ ident }) => ident);
}
