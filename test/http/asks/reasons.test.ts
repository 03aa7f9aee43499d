import { describe, expect, test } from '@jest/globals';
import { offersOf, reasonsAt, reasonsOf, type Reply } from '../../harness/client.ts';
import { emptyBookBeforeEach, serveTests } from '../../harness/serve.ts';
import { gpusOf, processDestination, tokenOf } from '../../harness/site.ts';

const TYPE = 'https://www.purl.org/ivoa-net';
const [AMD, NVIDIA] = ['urn:example:gpu:amd', 'urn:example:gpu:nvidia'];
function destination(more: object = {}): object {
  return processDestination({ cores: 24, memory: '96GiB', scratch: '100GiB', ...more });
}
const SITE = {
  rules: ['rules.yml'],
  identity: { tokens: [tokenOf('few')] },
  quotas: [{ for: 'user', name: 'few@example.org', cores: 4 }],
  destinations: {
    stepped: destination({ elastic: { cores: { min: 2, max: 12, step: 2 } } }),
    fixed: destination({
      ...gpusOf({ [AMD]: 2 }),
      arch: 'amd64',
      flavours: [
        { name: 's', cores: 2, memory: '4GiB' },
        { name: 'g', cores: 4, memory: '8GiB', gpus: { [AMD]: 1 } },
      ],
    }),
    plain: destination({ cores: 32, ...gpusOf({ [NVIDIA]: 1 }) }),
    choosy: destination({ flavours: [{ name: 's', cores: 2, memory: '4GiB' }] }),
  },
};
const RULES = {
  tools: {
    'executable/wait': {
      rules: [
        {
          if: 'True',
          execute:
            'from galaxy.jobs.mapper import JobNotReadyException\n' +
            "raise JobNotReadyException(message='the tape robot is away')",
        },
      ],
    },
  },
  destinations: {
    stepped: { runner: 'process' },
    fixed: { runner: 'process' },
    plain: { runner: 'process' },
    choosy: { runner: 'process', max_accepted_cores: 1 },
  },
};

describe('the reasons of a NO', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { send } = service;

  const task = (name: string): string =>
    `task: {type: "${TYPE}/task-type/executable", spec: {command: [${name}]}}`;
  const ask = (compute: string, token?: string, query = ''): Promise<Reply> =>
    send(`/request${query}`, {
      token,
      body: `${task('sort')}\nresources: {compute: [${compute}]}`,
    });
  /** The codes of a destination, with what they are about. */
  const codesOf = (reply: Reply, id: string): readonly string[] =>
    reasonsAt(reply, id).map(
      ({ code, path }) => `${String(code)} ${String(path).split('.').at(-1)}`,
    );

  test('name every destination, also where a quota blocks those that have room', async () => {
    for (const query of ['', '?dry-run=true']) {
      const reply = await ask(
        `{min-cores: 5, max-cores: 5, gpu: {type: "${NVIDIA}"}}`,
        'few',
        query,
      );
      expect(reasonsOf(reply)[0]).toMatchObject({ code: 'quota-exceeded', asked: 5, limit: 4 });
      expect(codesOf(reply, 'stepped')).toContain('gpu-type-not-here type');
      expect(codesOf(reply, 'choosy')).toContain('above-max-accepted min-cores');
      expect(codesOf(reply, 'plain')).toEqual([]);
    }
  });

  test('name a quota that is too small for the ask, also where no destination has room', async () => {
    for (const query of ['', '?dry-run=true']) {
      const reply = await ask(
        '{min-cores: 5, max-cores: 5, gpu: {type: "urn:example:gpu:none"}}',
        'few',
        query,
      );
      expect(codesOf(reply, 'plain')).toEqual(['gpu-type-not-here type']);
      expect(reasonsOf(reply)).toContainEqual({
        code: 'quota-exceeded',
        path: 'identity',
        asked: 5,
        limit: 4,
        text: 'The quota would be exceeded. The quota of cores is for you. (asked 5, limit 4)',
      });
      expect(Object(reply.document['response']).nearest.changes).toMatchObject([
        { path: 'resources.compute[0].min-cores', to: 4 },
        { path: 'resources.compute[0].gpu.type' },
      ]);
    }
  });

  test('name the missing flavour beside the missing amount, so that the next ask succeeds', async () => {
    const reply = await ask('{min-cores: 40, min-memory: 1Gb}');
    expect(codesOf(reply, 'stepped')).toEqual([
      'above-capacity min-cores',
      'size-not-offered min-cores',
    ]);
    expect(reasonsAt(reply, 'stepped').map(({ limit }) => limit)).toEqual([24, 12]);
  });

  test('name the largest flavour beside GPU type, architecture and limits of the rules', async () => {
    const gpu = await ask(`{min-cores: 6, gpu: {type: "${NVIDIA}", count: 2}}`);
    expect(codesOf(gpu, 'fixed')).toEqual(['gpu-type-not-here type', 'size-not-offered min-cores']);
    const arch = await ask('{min-cores: 6, arch: arm64}');
    expect(codesOf(arch, 'fixed')).toEqual(['arch-not-here arch', 'size-not-offered min-cores']);
    expect(codesOf(arch, 'choosy').toSorted()).toEqual([
      'above-max-accepted min-cores',
      'arch-not-here arch',
      'size-not-offered min-cores',
    ]);
  });

  test('say only once that a type of GPU is missing', async () => {
    expect(
      codesOf(await ask(`{min-cores: 1, gpu: {type: "${NVIDIA}", count: 2}}`), 'fixed'),
    ).toEqual(['gpu-type-not-here type']);
    expect(codesOf(await ask(`{min-cores: 1, gpu: {type: "${AMD}", count: 3}}`), 'fixed')).toEqual([
      'above-capacity count',
    ]);
  });

  test('have both numbers where a minimum is above its maximum', async () => {
    expect(
      reasonsOf(await ask('{min-cores: 4, max-cores: 2, min-memory: 3Gb, max-memory: 1Gb}')),
    ).toMatchObject([
      { code: 'minimum-above-maximum', path: 'resources.compute[0].min-cores', asked: 4, limit: 2 },
      {
        code: 'minimum-above-maximum',
        path: 'resources.compute[0].min-memory',
        asked: '3Gb',
        limit: '1Gb',
      },
    ]);
  });

  test('show the ask for a type of machine that cannot be used', async () => {
    const type = `type: "${TYPE}/compute-type/kubernetes"`;
    expect(reasonsOf(await ask(`{${type}, kubernetes: {version: newest}}`))).toMatchObject([
      {
        code: 'compute-block-invalid',
        path: 'resources.compute[0].kubernetes.version',
        asked: 'newest',
      },
    ]);
    expect(
      reasonsOf(await ask(`{${type}, kubernetes: {version: 1.3, pods: [1]}}`)).map(
        ({ path, asked }) => [path, asked],
      ),
    ).toEqual([
      ['resources.compute[0].kubernetes.pods', '[1]'],
      ['resources.compute[0].kubernetes.version', '1.3'],
    ]);
    expect(reasonsOf(await ask(`{${type}, kubernetes: 1.3}`))).toMatchObject([
      { code: 'compute-block-invalid', path: 'resources.compute[0].kubernetes', asked: '1.3' },
    ]);
  });

  test('that postpone a task come with Retry-After, in every form of the ask', async () => {
    const [first, dry, again] = [
      await send('/request', { body: task('wait'), headers: { 'Idempotency-Key': 'k' } }),
      await send('/request?dry-run=true', { body: task('wait') }),
      await send('/request', { body: task('wait'), headers: { 'Idempotency-Key': 'k' } }),
    ];
    for (const reply of [first, dry, again]) {
      expect(reasonsOf(reply)[0]).toMatchObject({
        code: 'try-later',
        text: expect.stringContaining('the tape robot is away'),
      });
      expect(reply.headers.get('retry-after')).toBe('60');
    }
    const job = await send('/jobs', { body: task('wait') });
    expect([job.status, job.headers.get('retry-after')]).toEqual([403, '60']);
    expect((await ask('{min-cores: 40}')).headers.get('retry-after')).toBeNull();
    expect((await ask('{min-cores: 1}')).headers.get('retry-after')).toBeNull();
  });

  test('are in the explanation of a YES: why destinations that match have no offer', async () => {
    const answer = await ask('{min-cores: 14, max-cores: 14, min-memory: 1Gb}');
    expect(new Set(offersOf(answer).map((offer) => Object(offer).destination))).toEqual(
      new Set(['plain']),
    );
    const explained = Object(
      (await send(Object(answer.document['response']).explain)).document['explanation'],
    );
    const told: readonly { destination: string; code: string }[] = explained.reasons;
    expect(told.map(({ destination: id, code }) => `${id} ${code}`).toSorted()).toEqual([
      'fixed size-not-offered',
      'stepped size-not-offered',
    ]);
    const text = await send(Object(answer.document['response']).explain, {
      headers: { Accept: 'text/plain' },
    });
    expect(text.text).toMatch(/Destinations without an offer\n {2}size-not-offered/);
  });
});
