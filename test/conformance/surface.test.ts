import { describe, expect, test } from '@jest/globals';
import { compile, Fuel, items, PyError, standardModules, str } from '../../src/python/index.ts';
import type { Value } from '../../src/python/index.ts';
import { RULES_COMMANDS } from '../../src/cli/rules/commands.ts';
import { explain } from '../../src/vortex/python-view/explain-module.ts';
import { galaxyOf } from '../../src/vortex/python-view/galaxy.ts';
import { helpersOf } from '../../src/vortex/python-view/helpers.ts';
import { OVERSIZE } from '../../src/vortex/entity/pool-part.ts';
import { KNOWN_KEYS } from '../../src/vortex/entity/properties.ts';
import { SECTIONS } from '../../src/vortex/file/merge.ts';
import { TAG_TYPES } from '../../src/vortex/entity/tags.ts';
import { jobOf, rulesOf } from '../vortex/job.ts';
import { changesBetween, recordedSurface, surfaceOf } from './surface.ts';

const surface = recordedSurface();
/** A list that TPV's reader fills; nobody writes it. */
const INTERNAL = new Set(['no_qa_codes']);
function written(kind: string): readonly string[] {
  return (surface.keys[kind] ?? []).filter((key) => !INTERNAL.has(key)).toSorted();
}

describe(`everything that TPV ${surface.version} knows is known here`, () => {
  test('every key of every kind of entity, and no other', () => {
    for (const kind of ['tool', 'role', 'user', 'destination', 'pool'] as const) {
      expect({ kind, keys: [...KNOWN_KEYS[kind]].toSorted() }).toEqual({
        kind,
        keys: written(kind),
      });
    }
    // Rules of rules have no effect, and are read like those of other entities.
    expect([...KNOWN_KEYS.rule].filter((key) => key !== 'rules').toSorted()).toEqual(
      written('rule'),
    );
    expect(['global', ...SECTIONS].toSorted()).toEqual(written('rule file'));
    expect([[...TAG_TYPES].toSorted(), [...OVERSIZE].toSorted()]).toEqual([
      written('scheduling'),
      written('oversize'),
    ]);
  });

  test('every key of `global`, without a warning', () => {
    const values = { default_inherits: 'x', context: {}, resource_pool_store: { class: 'x.y' } };
    expect(Object.keys(values).toSorted()).toEqual(written('global'));
    expect(() => rulesOf(JSON.stringify({ global: values }))).not.toThrow();
  });

  test.each(Object.entries(surface.helpers))(
    'helpers.%s, by the names of its parameters',
    (name, parameters) => {
      const job = jobOf('x');
      const { app, job: galaxyJob, tool } = galaxyOf(job);
      const scope = new Map<string, Value>([
        ['helpers', helpersOf(job)],
        ['app', app],
        ['job', galaxyJob],
        ['tool', tool],
      ]);
      const known = new Set(['app', 'job', 'tool']);
      const words = parameters.map((word) => `${word}=${known.has(word) ? word : 'None'}`);
      const said = ((): string => {
        try {
          compile(`helpers.${name}(${words.join(', ')})`, 'code').run(scope, {
            fuel: new Fuel(10_000),
            random: () => 0,
            modules: standardModules,
          });
          return '';
        } catch (error) {
          if (error instanceof PyError) return `${error.className}: ${error.message}`;
          throw error;
        }
      })();
      expect(said).not.toMatch(
        /unexpected keyword|positional argument|'tpv.core.helpers' has no attribute/,
      );
    },
  );

  test('every phase of a trace, and every option of its commands', async () => {
    const phases = explain.attribute('ExplainPhase');
    expect(
      items(phases ?? null).map((phase) =>
        str(compile('p.value', 'code').run(new Map([['p', phase]]), { fuel: new Fuel(100) })),
      ),
    ).toEqual(surface.phases);
    for (const [command, words] of Object.entries(surface.options)) {
      const run = Object.entries(RULES_COMMANDS).find(([known]) => known === command)?.[1];
      let help = '';
      await run?.(['--help'], {
        folder: '/',
        out: (part) => void (help += part),
        err: () => undefined,
      });
      const unknown = words.filter(
        (word) => !['-h', '--help'].includes(word) && !help.includes(word),
      );
      expect({ command, isThere: run !== undefined, unknown }).toEqual({
        command,
        isThere: true,
        unknown: [],
      });
    }
  });
});

describe('what a newer TPV brings', () => {
  test('is named, word by word: keys, helpers with their parameters, options', () => {
    const newer = {
      ...surface,
      keys: { ...surface.keys, pool: [...(surface.keys['pool'] ?? []), 'burst'] },
      helpers: { ...surface.helpers, input_size: ['job', 'unit'] },
    };
    expect(changesBetween(surface, newer)).toEqual({
      added: ['key of pool: burst', 'helpers.input_size(job, unit)'],
      gone: ['helpers.input_size(job)'],
    });
  });
});

const python = process.env['TPV_PYTHON'];
(python === undefined ? describe.skip : describe)(
  'the TPV of TPV_PYTHON (skipped without it)',
  () => {
    test('brings nothing that the recorded one lacks, and lacks nothing', () => {
      expect(changesBetween(surface, surfaceOf(python ?? ''))).toEqual({ added: [], gone: [] });
    });
  },
);
