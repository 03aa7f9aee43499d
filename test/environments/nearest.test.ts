import { describe, expect, test } from '@jest/globals';
import { revise } from '../../src/dialects/seed/revise.ts';
import { readSeedAsk, type SeedAsk } from '../../src/dialects/seed/read.ts';
import type { PythonEnvironment } from '../../src/environments/environment.ts';
import { vocabularyOf } from '../../src/http/asks/vocabulary.ts';
import type { Ask } from '../../src/planner/ask.ts';
import { findNearest } from '../../src/planner/nearest/nearest.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { siteOf } from '../harness/asks.ts';
import { AT, decide, offersOf, refusals } from '../planner/decide.ts';
import { environmentWith, siteWith } from './with-packages.ts';

const PROGRAMS = { runner: 'notebook', 'task-types': ['python-program'], cores: 4 };
const PLAIN = environmentWith('plain', {});
const ASTRO = environmentWith('astro', { numpy: '1.24.2', astropy: '5.2.1' });
const BROKEN: PythonEnvironment = { name: 'old', kind: 'interpreter', state: 'broken', why: 'x' };

describe('the nearest YES', () => {
  test.each([
    ['lacks its package', { environment: 'plain', requirements: ['numpy'] }],
    ['lacks its module', { environment: 'plain', source: 'import astropy' }],
    ['is not there', { environment: 'nowhere' }],
    ['is broken', { environment: 'old' }],
  ])('has another environment where the one that is wanted %s', async (_what, spec) => {
    const found = await nearest({ a: [PLAIN, BROKEN, ASTRO] }, spec);
    expect(found).toMatchObject([
      {
        path: 'task.spec.environment',
        from: spec.environment,
        to: 'requirements' in spec || 'source' in spec ? 'astro' : 'plain',
      },
    ]);
  });

  test('has the version that is there', async () => {
    const requirements = ['numpy', 'astropy>=6; python_version>"3"'];
    expect(await nearest({ a: [ASTRO] }, { requirements })).toEqual([
      {
        path: 'task.spec.requirements[1]',
        from: 'astropy>=6; python_version>"3"',
        to: 'astropy==5.2.1; python_version>"3"',
        text: expect.stringContaining('instead of'),
      },
    ]);
  });

  test('is at another destination that has the package, with what that one wants', async () => {
    const found = await nearest(
      { a: [PLAIN], b: [ASTRO] },
      { requirements: ['numpy'] },
      { 'min-cores': 8 },
    );
    expect(found).toMatchObject([{ path: 'resources.compute[0].min-cores', from: 8, to: 4 }]);
  });

  test('is none where nobody has the package, or the requirements are one text', async () => {
    expect(await nearest({ a: [ASTRO] }, { requirements: ['galpy'] })).toBeUndefined();
    expect(await nearest({ a: [ASTRO] }, { requirements: 'astropy>=6' })).toBeUndefined();
  });
});

/** The changes that turn a NO into a YES, as its client reads them. */
async function nearest(
  environments: Readonly<Record<string, readonly PythonEnvironment[]>>,
  spec: object,
  compute: object = { 'min-cores': 1 },
) {
  const ids = Object.keys(environments);
  const site = siteWith(siteOf(Object.fromEntries(ids.map((id) => [id, PROGRAMS]))), environments);
  const body: SeedAsk = Object({
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/python-program',
      spec: { source: '', ...spec },
    },
    resources: { compute: [compute] },
  });
  const ask = askOf(body);
  const found = await findNearest(
    { ask, site, now: AT },
    refusals(decide(ask, site)),
    async (changes) => {
      const changed = askOf(revise(body, changes).body);
      const planned = decide(changed, site);
      const [offer] = offersOf(planned);
      return offer === undefined
        ? { kind: 'no', ask: changed, refusals: refusals(planned) }
        : { kind: 'yes', destination: offer.destination };
    },
    { trials: 24, sure: 6, ms: 1000 },
    () => 0,
  );
  return found && revise(body, found.changes).changes;
}

function askOf(body: SeedAsk): Ask {
  const understood = readSeedAsk(body, vocabularyOf(builtInKnown, siteOf({ a: {} })));
  if (understood.ok) return understood.ask;
  throw new Error(JSON.stringify(understood.refusals));
}
