import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { needs } from '../../engines/packages.ts';
import { withEngine } from '../../engines/summary.ts';
import { hasPublished } from '../../harness/broker/published.ts';
import { judgeAnswers } from './answers.ts';
import { curl, type Fetched } from './curl.ts';
import { GENERATIONS, type Wish } from '../../harness/broker/generations.ts';
import { expireOffer, openStage, stageMissing, type Stage } from './stage.ts';

const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'REJECTED', 'EXPIRED'];

withEngine('curl as a client of the broker', needs('curl') ?? stageMissing(), () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  describe.each([
    ['types-v1', '/offersets', '/sessions', 'application/json'],
    ['types', '/offersets', '/sessions', 'application/yaml'],
    ['kinds', '/requests', '/direct', 'application/yaml'],
  ] as const)('with %s', (generation, asks, direct, type) => {
    const { ask, update, idOf, optionsOf, coresOf } = GENERATIONS[generation];
    const got: Fetched[] = [];
    const fetched = async (...words: readonly string[]): Promise<Fetched> => {
      const answer = await curl('-H', `Accept: ${type}`, ...words);
      got.push(answer);
      return answer;
    };
    // JSON is YAML, too.
    const post = (path: string, document: object, ...words: readonly string[]): Promise<Fetched> =>
      fetched(
        '-H',
        `Content-Type: ${type}`,
        '-d',
        JSON.stringify(document),
        ...words,
        stage.service.url + path,
      );
    const read = (id: string): Promise<Fetched> => fetched(`${stage.service.url}/sessions/${id}`);
    const container = (...command: readonly string[]): Wish => ({
      executable: 'docker-container',
      spec: { image: { locations: [stage.image] }, command },
    });
    const offer = async (wish: Wish): Promise<Fetched['document']> =>
      firstOf(await post(asks, ask(wish)));
    const follow = async (id: string, until = ENDED): Promise<Fetched['document']> => {
      const { document } = await read(id);
      if (until.includes(String(document['phase']))) return document;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return follow(id, until);
    };

    test('asks, is redirected to the answer, accepts, follows and reads what was printed', async () => {
      const asked = await post(asks, ask(container('echo', 'hello')));
      expect(asked).toMatchObject({
        status: 303,
        type: expect.stringContaining(type),
        location: `${stage.service.url}/offersets/${idOf(asked.document)}`,
        document: { result: 'YES' },
      });
      const again = await fetched(asked.location);
      expect([again.status, again.document]).toEqual([200, asked.document]);
      const first = firstOf(asked);
      expect([first['phase'], optionsOf(first)]).toEqual(['OFFERED', ['ACCEPTED', 'REJECTED']]);
      expect(coresOf(first)).toBeGreaterThanOrEqual(1);
      expect(coresOf(first)).toBeLessThanOrEqual(2);
      const accepted = await post(`/sessions/${idOf(first)}`, update('ACCEPTED'));
      expect([accepted.status, optionsOf(accepted.document)]).toEqual([200, ['CANCELLED']]);
      const done = await follow(idOf(first));
      expect([done['phase'], optionsOf(done)]).toEqual(['COMPLETED', []]);
      const stdout = /https?:[^"]*\/results\/stdout/.exec(JSON.stringify(done))?.[0] ?? '';
      expect((await curl(stdout)).text).toBe('hello\n');
    });

    test('follows the redirection of a request', async () => {
      const { status, url, document } = await post(asks, ask(container('true')), '-L');
      expect([status, url, document['result']]).toEqual([
        200,
        `${stage.service.url}/offersets/${idOf(document)}`,
        'YES',
      ]);
    });

    test('cancels a running one', async () => {
      const id = idOf(await offer(container('sleep', '600')));
      await post(`/sessions/${id}`, update('ACCEPTED'));
      await follow(id, ['RUNNING', ...ENDED]);
      const { status, document } = await post(`/sessions/${id}`, update('CANCELLED'));
      expect([status, document['phase']]).toEqual([200, 'CANCELLED']);
      expect((await follow(id))['phase']).toBe('CANCELLED');
    });

    test('rejects, and learns that a rejected one, an expired one and none cannot be accepted', async () => {
      const id = idOf(await offer(container('true')));
      const rejected = await post(`/sessions/${id}`, update('REJECTED'));
      expect([rejected.status, rejected.document['phase']]).toEqual([200, 'REJECTED']);
      expect(await post(`/sessions/${id}`, update('ACCEPTED'))).toMatchObject({
        status: 409,
        document: { code: 'offer-state-conflict', state: 'REJECTED', allowed: [] },
      });
      const late = idOf(await offer(container('true')));
      await expireOffer(stage, late);
      expect((await read(late)).document).toMatchObject({ phase: 'EXPIRED' });
      expect((await post(`/sessions/${late}`, update('ACCEPTED'))).status).toBe(410);
      const none = await post('/sessions/00000000-0000-7000-8000-000000000000', update('ACCEPTED'));
      expect(none.status).toBe(404);
    });

    test('executes a notebook directly, and learns why a request cannot be', async () => {
      const { status, location, document } = await post(
        direct,
        ask({ executable: 'jupyter-notebook', spec: { location: stage.notebook } }),
      );
      const id = idOf(document);
      expect([status, location]).toEqual([303, `${stage.service.url}/sessions/${id}`]);
      expect((await follow(id))['phase']).toBe('COMPLETED');
      const no = await post(direct, ask({ ...container('true'), cores: 1000 }));
      expect([no.status, no.document['phase']]).toEqual([400, 'FAILED']);
      expect(no.text).toContain('"message"'.slice(type.endsWith('yaml') ? 1 : 0, -1));
    });

    test('is told in messages why there are no offers', async () => {
      const { status, text, document } = await post(
        asks,
        ask({ ...container('true'), cores: 1000 }),
      );
      expect([status, document['result'], document['offers']]).toEqual([303, 'NO', []]);
      expect(text).toContain('1000');
    });

    // The drafts of 2024 and 2025 are not of the published schema.
    if (generation === 'types') return;
    (hasPublished ? describe : describe.skip)(
      'the published schema (skipped without ../shared/schemas)',
      () => {
        test('allows every answer', () => {
          expect(got.length).toBeGreaterThan(10);
          expect(judgeAnswers(got, generation)).toEqual([]);
        });
      },
    );
  });
});

function firstOf({ document: { offers } }: Fetched): Fetched['document'] {
  return Object(offers)[0];
}
