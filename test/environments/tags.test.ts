import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { environmentTags } from '../../src/environment-tags.ts';
import type { PythonEnvironment } from '../../src/environments/environment.ts';
import { Admissions } from '../../src/vortex/decide/admission.ts';
import { TagSet } from '../../src/vortex/entity/tags.ts';
import { offeredTagsIn, tagsSource } from '../../src/vortex/file/offered-tags.ts';
import { admissionsOf, loadRules, weigh, type RuleSource } from '../../src/vortex/index.ts';
import { siteOf } from '../harness/asks.ts';
import { processDestination } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { environmentWith, siteWith } from './with-packages.ts';

const ASTRO = environmentWith('astro', { Numpy_X: '1.24.2' });
const BROKEN: PythonEnvironment = { name: 'old', kind: 'interpreter', state: 'broken', why: 'x' };

describe('the tags of environments', () => {
  test('are name, version of Python and packages, of those that work and that the site names', () => {
    const destination = { runner: 'notebook', 'task-types': ['python-program'] };
    const read = siteOf({ a: destination, b: destination });
    const [a, b] = ['a', 'b'].map((id) => read.destinations.get(id));
    if (a === undefined || b === undefined) throw new Error('no destinations');
    const named = { ...a, engine: { ...a.engine, environments: [] } };
    const site = siteWith(
      {
        ...read,
        destinations: new Map([
          ['a', named],
          ['b', b],
        ]),
      },
      { a: [BROKEN, ASTRO], b: [ASTRO] },
    );
    const source = environmentTags(site);
    expect(offeredTagsIn(source === undefined ? [] : [source])).toEqual(
      new Map([['a', new Set(['env:astro', 'package:numpy-x', 'python:3.11'])]]),
    );
    expect(environmentTags(read)).toBeUndefined();
  });

  test('decide like accepted tags, and are neither shown nor counted against a destination', () => {
    const required = decided({ require: ['env:astro'] });
    expect(required.matched).toEqual(['astro']);
    expect(required.refused).toEqual({
      plain: [{ code: 'required-tag-missing', tag: 'env:astro', by: 'job' }],
    });
    expect(JSON.stringify(required.admissions)).not.toContain('env:astro');
    expect(decided({ reject: ['python:3.11'] })).toMatchObject({
      matched: ['plain'],
      refused: { astro: [{ code: 'tag-rejected', tag: 'python:3.11', by: 'job' }] },
    });
    expect(decided({ prefer: ['package:numpy'] }).matched).toEqual(['astro', 'plain']);
    // Without a wish the order is that of the file, whatever a destination offers.
    expect(decided({}).matched).toEqual(['plain', 'astro']);
  });

  test('leave the scores of tags that nobody offers as they are', () => {
    const own = new TagSet({ accept: ['gpu'], prefer: ['x'] });
    const offering = own.offering(new Set(['env:astro', 'gpu']));
    for (const lists of [{}, { require: ['gpu'] }, { prefer: ['x', 'y'] }])
      expect(offering.score(new TagSet(lists))).toBe(own.score(new TagSet(lists)));
    expect(offering.score(new TagSet({ prefer: ['env:astro'] }))).toBe(
      own.score(new TagSet({})) + 2,
    );
    expect(offering.copy().has('env:astro')).toBe(true);
  });
});

describe('a service whose rules ask for an environment', () => {
  let service: WholeService;
  beforeAll(async () => {
    const runner = 'notebook';
    const programs = { runner, 'task-types': ['python-program'] };
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        environments: { 'built-in': { pyodide: true } },
        destinations: {
          a: processDestination(programs),
          b: processDestination({ ...programs, environments: ['built-in'] }),
        },
      },
      rules: {
        tools: { 'python-program/.*': { scheduling: { require: ['env:built-in'] } } },
        destinations: { a: { runner }, b: { runner } },
      },
    });
  });
  afterAll(() => service?.close());

  test('sends its task where that is, and says what the others lack', async () => {
    const type = 'https://www.purl.org/ivoa-net/task-type/python-program';
    const answer = await service.ask({ task: { type, spec: { source: 'print(1)' } } });
    expect(answer).toMatch(/destination"?: b/);
    expect(answer).not.toMatch(/destination"?: a/);
  });
});

/** What rules with two destinations say to a job with tags, the best destination first. */
function decided(scheduling: object) {
  const file = {
    tools: { tool: { scheduling } },
    destinations: { plain: { runner: 'x' }, astro: { runner: 'x' } },
  };
  const tags = tagsSource(
    'environments',
    new Map([['astro', ['env:astro', 'python:3.11', 'package:numpy']]]),
  );
  const sources: readonly RuleSource[] = [
    { name: 'rules.yml', text: JSON.stringify(file) },
    ...(tags === undefined ? [] : [tags]),
  ];
  const loaded = loadRules(sources, 'digest');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const job = { tool: { id: 'tool', requirements: [] }, user: null, roles: [], inputs: [] };
  const found = weigh(loaded.rules, job, { random: () => 0, now: () => 0 }, null);
  if (found.kind !== 'considered' || found.sought === null) throw new Error(JSON.stringify(found));
  const admissions = admissionsOf(loaded.rules);
  const refused = new Admissions(admissions, sources).refused(found.sought);
  return {
    matched: found.candidates.map(({ destination }) => destination),
    refused: Object.fromEntries(refused.map(({ destination, clauses }) => [destination, clauses])),
    admissions,
  };
}
