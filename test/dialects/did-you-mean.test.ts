import { describe, expect, test } from '@jest/globals';
import { builtInKnown } from '../../src/plugins/types.ts';
import { unknownKeys } from '../../src/dialects/seed/unknown-keys.ts';
import { readSeedAsk } from '../../src/dialects/seed/read.ts';
import { pathIn } from '../../src/dialects/seed/paths.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import { REFUSALS, PROBLEMS, JOB_ERRORS } from '../../src/words/catalogue.ts';
import { siteOf } from '../harness/asks.ts';

const vocabulary = vocabularyOf(builtInKnown, siteOf({ a: {} }));
const task = {
  type: 'https://www.purl.org/ivoa-net/task-type/executable',
  spec: { command: ['sort'] },
};

function inCompute(item: object): Readonly<Record<string, string>> {
  return saidOf({ task, resources: { compute: [item] } });
}

/** What is said of an ask, key by key. */
function saidOf(body: object): Readonly<Record<string, string>> {
  const read = readSeedAsk(Object(body), vocabulary);
  return Object.fromEntries(
    read.ok
      ? []
      : read.refusals.map(({ place, detail = '' }) => [
          pathIn(Object(body), place),
          String(detail),
        ]),
  );
}

describe('an unknown key', () => {
  test.each([
    ['cores', 'min-cores'],
    ['cpu', 'min-cores'],
    ['vCPUs', 'min-cores'],
    ['CPUs', 'min-cores'],
    ['maxCPU', 'max-cores'],
    ['memory', 'min-memory'],
    ['ram', 'min-memory'],
    ['mem', 'min-memory'],
    ['max_ram', 'max-memory'],
    ['gpus', 'gpu'],
    ['nvidia.com/gpu', 'gpu'],
    ['nodes', 'replicas'],
    ['mounts', 'volumes'],
    ['min_cores', 'min-cores'],
    ['maxcores', 'max-cores'],
    ['min-memroy', 'min-memory'],
    ['volume', 'volumes'],
    ['architecture', 'arch'],
  ])('%s of a machine is guessed to be %s', (written, key) => {
    expect(inCompute({ [written]: 4 })[`resources.compute[0].${written}`]).toContain(
      `Did you mean ${key}? Known here: name, replicas`,
    );
  });

  test('of another place is guessed together with that place', () => {
    expect(saidOf({ task, cores: 4 })['cores']).toContain(
      'Did you mean min-cores in an item of resources.compute? ',
    );
    expect(saidOf({ task, resources: { memory: 4, disk: 3, gpus: 1 } })).toMatchObject({
      'resources.memory': expect.stringContaining(
        'Did you mean min-memory in an item of resources.compute? ',
      ),
      'resources.disk': expect.stringContaining(
        'Did you mean size in an item of resources.storage? ',
      ),
      'resources.gpus': expect.stringContaining(
        'Did you mean gpu in an item of resources.compute? ',
      ),
    });
    expect(saidOf({ task, resource: {}, walltime: 'PT1H' })).toMatchObject({
      resource: expect.stringContaining('Did you mean resources? '),
      walltime: expect.stringContaining('Did you mean duration in time? '),
    });
    expect(
      inCompute({ gpu: { type: 'urn:gpu', number: 2 } })['resources.compute[0].gpu.number'],
    ).toContain('Did you mean count? ');
    expect(saidOf({ task, time: { walltime: 'PT1H', begin: '2026-08-10T10:00Z' } })).toMatchObject({
      'time.walltime': expect.stringContaining('Did you mean duration? '),
      'time.begin': expect.stringContaining('Did you mean start? '),
    });
  });

  test('of a task is guessed too', () => {
    expect(
      saidOf({ task: { ...task, spec: { command: ['sort'], env: {}, comand: [] } } }),
    ).toMatchObject({
      'task.spec.env': expect.stringContaining('no env (did you mean environment?); it knows'),
      'task.spec.comand': expect.stringContaining('(did you mean command?)'),
    });
  });

  test('that resembles nothing is not guessed', () => {
    expect(inCompute({ banana: 1 })['resources.compute[0].banana']).toBe(
      'Known here: name, replicas, type, arch, min-cores, max-cores, min-memory, max-memory, gpu, volumes.',
    );
  });

  test('is not looked at once the maximum number of guesses is reached', () => {
    const told: string[] = [];
    const looks: number[] = [];
    unknownKeys(
      { note: ({ path }) => void told.push(path), isFull: () => looks.push(1) > 100 },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`coers${index}`, 1])),
      ['min-cores'],
      'resources',
    );
    expect([told.length, looks.length]).toEqual([100, 101]);
  });
});

describe('the sentences of the catalogue', () => {
  test('name no document and no rule that a client does not have', () => {
    const texts = [
      ...Object.values(REFUSALS),
      ...Object.values(JOB_ERRORS),
      ...Object.values(PROBLEMS).map(([, title]) => title),
    ];
    expect(texts.filter((text) => /\b[RSL]\d+\b|\.md\b|§/.test(text))).toEqual([]);
  });
});
